import { invalid } from '../core/errors';
import type { TrainingConfig } from '../lyreo/training-config';
import type { Mix, SystemConfig } from '../system/config';
import {
  conditionLearners,
  conditionMethods,
  type ConditionName,
  conditions,
  conditionRules,
  scalable,
} from './conditions';
import { learnerSweeps } from './learner-sweeps';
import type { MethodName } from './methods';
import { DEFAULT_SERVERS, DEFAULT_USERS, type Profile } from './profiles';

/**
 * The figures and tables that experiments can make, in the paper's order; `rho0`: learners that nothing warns of waiting
 * requests. The last five compare learners and belong to the profile `pilot`.
 */
export const figureIds = [
  'fig2',
  'fig3',
  'table2',
  'fig4',
  'fig5',
  'fig6',
  'fig7',
  'fig8',
  'rho0',
  'beyond',
  'extras',
  'factorial',
  'switches',
  'penalty',
  'printed-forms',
  'lapses',
] as const;

/** A published figure or table, conditions that the paper leaves out, or our extra baselines. */
export type FigureId = (typeof figureIds)[number];

/** A place in the matrix: a method in a system. All its seeds are its runs. */
export interface Point {
  readonly method: MethodName;
  /** Fields that differ from the calibrated default. */
  readonly system: Partial<SystemConfig>;
  /** Hyperparameters that differ from the method's own. */
  readonly training: Partial<TrainingConfig>;
  /** Fields in which the evaluated system differs from the trained one, beside the slots. */
  readonly appliedTo?: Partial<SystemConfig> | undefined;
}

const learners: readonly MethodName[] = ['lyreo', 'ly-ppo', 'ppo'];

const published: readonly MethodName[] = [...learners, 'static', 'll', 'random'];

const learningExtras: readonly MethodName[] = [
  'lyreo-printed',
  'lyreo-slot',
  'ly-ppo-booked',
  'ly-ppo-own',
  'ly-ppo-little',
];

const plainExtras: readonly MethodName[] = [
  'drift-plus-penalty',
  'll-in-slot',
  'latency-greedy',
  'jsq',
  'power-of-two',
  'wrr',
];

/** The hardware mixes of Fig. 6, in its order. */
const mixes: readonly Mix[] = ['Hom', 'Mod', 'Het'];

/** The content of a figure: every method at every swept value. */
export interface Sweep {
  readonly figureId: FigureId;
  readonly methods: readonly MethodName[];
  readonly seeds: readonly number[];
  /** Values of what is swept with the fields they set; one without a sweep. */
  readonly values: readonly {
    readonly x: number | string;
    readonly system: Partial<SystemConfig>;
    readonly training: Partial<TrainingConfig>;
    readonly appliedTo?: Partial<SystemConfig> | undefined;
  }[];
}

const atDefault: Sweep['values'] = [{ x: 'default', system: {}, training: {} }];

/**
 * The sweeps of the figures; `fig8` is two sweeps, of LYREO as printed and of LYREO, `beyond` one per condition and the
 * default.
 */
export function sweeps(profile: Profile): Sweep[] {
  if (profile.name === 'pilot') return learnerSweeps(profile);
  const bySystem = (x: number | string, system: Partial<SystemConfig>): Sweep['values'][number] => ({
    x,
    system,
    training: {},
  });
  const byTraining = (x: number | string, training: Partial<TrainingConfig>): Sweep['values'][number] => ({
    x,
    system: {},
    training,
  });
  const withoutWarning = (system: Partial<SystemConfig>): Sweep['values'][number] => ({
    x: system.users ?? profile.system.users ?? DEFAULT_USERS,
    system,
    training: { memoryWeight: 0 },
  });
  const all = [...published, ...plainExtras];
  const { seeds, windowSeeds, extraSeeds } = profile;
  return [
    { figureId: 'fig2', methods: learners, seeds, values: atDefault },
    { figureId: 'fig3', methods: published, seeds, values: atDefault },
    { figureId: 'table2', methods: ['lyreo', 'lyreo-count', 'lyreo-nolb'], seeds, values: atDefault },
    { figureId: 'fig4', methods: all, seeds, values: profile.users.map((users) => bySystem(users, { users })) },
    { figureId: 'fig5', methods: all, seeds, values: profile.servers.map((servers) => bySystem(servers, { servers })) },
    { figureId: 'fig6', methods: all, seeds, values: mixes.map((mix) => bySystem(mix, { mix })) },
    {
      figureId: 'fig7',
      methods: ['lyreo'],
      seeds,
      values: profile.nu.map((nu) => bySystem(nu, { latencyWeight: nu })),
    },
    {
      figureId: 'fig8',
      methods: ['lyreo-printed'],
      seeds: windowSeeds,
      values: profile.windowsPrinted.map((window) => byTraining(window, { window })),
    },
    {
      figureId: 'fig8',
      methods: ['lyreo'],
      seeds: windowSeeds,
      values: profile.windows.map((window) => byTraining(window, { window })),
    },
    { figureId: 'extras', methods: ['lyreo-seq', ...plainExtras], seeds, values: atDefault },
    { figureId: 'rho0', methods: learners, seeds, values: [withoutWarning({})] },
    {
      figureId: 'rho0',
      methods: ['lyreo'],
      seeds,
      values: [profile.users[0], profile.users[profile.users.length - 1]].map((users) => withoutWarning({ users })),
    },
    ...beyond(profile),
    { figureId: 'extras', methods: learningExtras, seeds: extraSeeds, values: atDefault },
  ];
}

/** The point of a method in a condition: trained and evaluated in it, or trained at the default and applied to it. */
export function conditionPoint(profile: Profile, name: ConditionName, method: MethodName): Point {
  const { system: fields, learning } = conditions[name];
  const system = fields({ users: DEFAULT_USERS, servers: DEFAULT_SERVERS, ...profile.system });
  return method === scalable && learning === 'trained at the default'
    ? { method, system: {}, training: {}, appliedTo: system }
    : { method, system, training: {} };
}

/** The default and every condition of a profile, with the methods asked for there. */
function beyond(profile: Profile): Sweep[] {
  const sweep = (methods: readonly MethodName[], value: Sweep['values'][number]): Sweep => ({
    figureId: 'beyond',
    methods,
    seeds: profile.conditionSeeds,
    values: [value],
  });
  return [
    sweep([...conditionLearners, ...conditionRules, scalable], atDefault[0]),
    ...profile.conditions.flatMap((x) =>
      conditionMethods(x).map((method) => sweep([method], { x, ...conditionPoint(profile, x, method) })),
    ),
  ];
}

/**
 * The figures that names stand for; "all" and no names are all of them.
 *
 * @throws UserError naming what is allowed.
 */
export function readFigureIds(names: readonly string[]): FigureId[] {
  if (names.length === 0 || names.includes('all')) return [...figureIds];
  return figureIds.filter((figureId) => {
    const unknown = names.find((name) => !(figureIds as readonly string[]).includes(name));
    if (unknown !== undefined) throw invalid('figure', unknown, [...figureIds, 'all'].join(', '));
    return names.includes(figureId);
  });
}
