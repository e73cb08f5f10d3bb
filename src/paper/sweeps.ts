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
import { DEFAULT_SERVERS, DEFAULT_USERS, type OpenFigure, type Profile } from './profiles';

/**
 * The figures and tables that experiments can make, in the paper's order; `printed`: the three learners of Figs. 2 to 6
 * under the printed optimiser. The last five compare learners and belong to the profile `pilot`.
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
  'printed',
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

const printedLearners: readonly MethodName[] = ['lyreo-printed', 'ly-ppo-printed', 'ppo-printed'];

const published: readonly MethodName[] = [...learners, 'static', 'll', 'random'];

const learningExtras: readonly MethodName[] = ['lyreo-slot', 'ly-ppo-booked', 'ly-ppo-own', 'ly-ppo-little'];

const plainExtras: readonly MethodName[] = [
  'drift-plus-penalty',
  'll-in-slot',
  'latency-greedy',
  'jsq',
  'power-of-two',
  'wrr',
];

/** The hardware mixes of Fig. 6, in its order. */
export const mixes: readonly Mix[] = ['Hom', 'Mod', 'Het'];

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
  const byWindow = (window: number): Sweep['values'][number] => ({
    x: window,
    system: systemOf(profile, 'fig8'),
    training: { window },
  });
  const all = [...published, ...plainExtras];
  const { seeds, windowSeeds, extraSeeds } = profile;
  const byUsers = profile.users.map((users) => bySystem(users, { users }));
  const byServers = profile.servers.map((servers) => bySystem(servers, { servers }));
  const byMix = mixes.map((mix) => bySystem(mix, { mix }));
  const unswept = (figure: OpenFigure): Sweep['values'] => [bySystem('default', systemOf(profile, figure))];
  return [
    { figureId: 'fig2', methods: learners, seeds, values: unswept('fig2') },
    { figureId: 'fig3', methods: published, seeds, values: unswept('fig3') },
    { figureId: 'table2', methods: ['lyreo', 'lyreo-count', 'lyreo-nolb'], seeds, values: unswept('table2') },
    { figureId: 'fig4', methods: all, seeds, values: byUsers },
    { figureId: 'fig5', methods: all, seeds, values: byServers },
    { figureId: 'fig6', methods: all, seeds, values: byMix },
    {
      figureId: 'fig7',
      methods: ['lyreo'],
      seeds,
      values: profile.nu.map((nu) => bySystem(nu, { ...systemOf(profile, 'fig7'), latencyWeight: nu })),
    },
    {
      figureId: 'fig8',
      methods: ['lyreo-printed'],
      seeds: windowSeeds,
      values: profile.windowsPrinted.map((window) => byWindow(window)),
    },
    {
      figureId: 'fig8',
      methods: ['lyreo'],
      seeds: windowSeeds,
      values: profile.windows.map((window) => byWindow(window)),
    },
    { figureId: 'extras', methods: ['lyreo-seq', ...plainExtras], seeds, values: unswept('extras') },
    {
      figureId: 'printed',
      methods: printedLearners,
      seeds: windowSeeds,
      values: [...byUsers, ...byServers, ...byMix],
    },
    ...beyond(profile),
    { figureId: 'extras', methods: learningExtras, seeds: extraSeeds, values: unswept('extras') },
  ];
}

/** The system of a figure whose U the paper does not print; the default where the profile has no reading of it. */
export function systemOf({ usersOf }: Profile, figure: FigureId): Partial<SystemConfig> {
  const users = usersOf[figure as OpenFigure];
  return users === undefined ? {} : { users };
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
