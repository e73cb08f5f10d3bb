import type { TrainingConfig } from '../lyreo/training-config';
import type { Mix, SystemConfig } from '../system/config';
import { type ConditionName, conditionRules, conditions, learnersOf, scalable } from './conditions';
import { lapseSweeps, learnerSweeps, startSweeps } from './learner-sweeps';
import type { MethodName } from './methods';
import { DEFAULT_SERVERS, DEFAULT_USERS, type OpenFigure, type Profile } from './profiles';

/**
 * The figures and tables that experiments can make, in the paper's order; `printed`: the three learners of Figs. 2 to 6
 * under the printed optimiser. The last five compare learners and belong to the profiles `pilot` and `starts`.
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
  'lapses',
  'factorial',
  'switches',
  'penalty',
  'printed-forms',
  'starts',
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

const rules: readonly MethodName[] = [
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
  readonly values: readonly (Omit<Point, 'method'> & { readonly x: number | string })[];
}

/**
 * The sweeps of the figures; `fig8` is two sweeps, of LYREO as printed and of LYREO, `beyond` one per condition and the
 * default.
 */
export function sweeps(profile: Profile): Sweep[] {
  if (profile.name === 'pilot') return learnerSweeps(profile);
  if (profile.name === 'starts') return startSweeps(profile);
  const { seeds, windowSeeds, extraSeeds, conditionSeeds } = profile;
  type Value = Sweep['values'][number];
  const at = (figure: FigureId, x: Value['x'] = 'default', system: Value['system'] = {}): Value => ({
    x,
    system: { ...systemOf(profile, figure), ...system },
    training: {},
  });
  const byWindow = (window: number): Value => ({ ...at('fig8', window), training: { window } });
  const byUsers = profile.users.map((users) => at('fig4', users, { users }));
  const byServers = profile.servers.map((servers) => at('fig5', servers, { servers }));
  const byMix = mixes.map((mix) => at('fig6', mix, { mix }));
  const byNu = profile.nu.map((latencyWeight) => at('fig7', latencyWeight, { latencyWeight }));
  const sweep = (figureId: FigureId, methods: Sweep['methods'], values = [at(figureId)], own = seeds): Sweep => ({
    figureId,
    methods,
    seeds: own,
    values,
  });
  const all = [...published, ...rules];
  return [
    sweep('fig2', learners),
    sweep('fig3', published),
    sweep('table2', ['lyreo', 'lyreo-count', 'lyreo-nolb']),
    sweep('fig4', all, byUsers),
    sweep('fig5', all, byServers),
    sweep('fig6', all, byMix),
    sweep('fig7', ['lyreo'], byNu),
    sweep('fig8', ['lyreo-printed'], profile.windowsPrinted.map(byWindow), windowSeeds),
    sweep('fig8', ['lyreo'], profile.windows.map(byWindow), windowSeeds),
    sweep('extras', [scalable, ...rules]),
    sweep(
      'printed',
      ['lyreo-printed', 'ly-ppo-printed', 'ppo-printed'],
      [...byUsers, ...byServers, ...byMix],
      windowSeeds,
    ),
    sweep('beyond', [...learners, ...conditionRules, scalable], undefined, conditionSeeds),
    ...profile.conditions.flatMap((x) =>
      [...learnersOf[conditions[x].learning], ...conditionRules].map((method) =>
        sweep('beyond', [method], [{ x, ...conditionPoint(profile, x, method) }], conditionSeeds),
      ),
    ),
    sweep('extras', ['lyreo-slot', 'ly-ppo-booked', 'ly-ppo-own', 'ly-ppo-little'], undefined, extraSeeds),
    ...(profile.name === 'paper' ? lapseSweeps(profile) : []),
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
