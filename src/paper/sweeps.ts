import type { TrainingConfig } from '../lyreo/training-config';
import type { Mix, SystemConfig } from '../system/config';
import { conditionSystem, conditions } from './conditions';
import { lapsePoints, learnerPoints, startPoints } from './learner-sweeps';
import { type MethodName, learners } from './methods';
import type { OpenFigure, Profile } from './profiles';

/** The figures and table of the paper's evaluation. */
const sections = ['fig2', 'fig3', 'table2', 'fig4', 'fig5', 'fig6', 'fig7', 'fig8'] as const;

/** The learners of Figs. 2 to 6 under the printed optimiser, conditions that the paper leaves out, baselines, lapses. */
const extras = ['printed', 'beyond', 'extras', 'lapses'] as const;

/** Comparisons of learners, in the profiles `pilot` and `starts`. */
const comparisons = ['factorial', 'switches', 'penalty', 'printed-forms', 'starts'] as const;

export type Section = (typeof sections)[number];

export type FigureId = Section | (typeof extras)[number] | (typeof comparisons)[number];

/** The figures and tables that experiments can make, in the paper's order. */
export const figureIds: readonly FigureId[] = [...sections, ...extras, ...comparisons];

/** A place in the matrix: a method in a system. All its seeds are its runs. */
export interface Point {
  readonly method: MethodName;
  /** Fields that differ from the profile's default. */
  readonly system?: Partial<SystemConfig>;
  /** Hyperparameters that differ from the method's own. */
  readonly training?: Partial<TrainingConfig>;
}

/** A point of a figure: a method at a swept value. */
export interface FigurePoint extends Point {
  readonly figureId: FigureId;
  /** The swept value: U, S, the mix, ν or H; "default" without a sweep. */
  readonly x: number | string;
  readonly seeds: readonly number[];
}

/** A swept value with the fields that it sets. */
export type Swept = Pick<FigurePoint, 'x' | 'system' | 'training'>;

export type Crossed = readonly [
  figureId: FigureId,
  methods: readonly MethodName[],
  values: readonly Swept[],
  seeds: readonly number[],
];

const simple: readonly MethodName[] = ['static', 'll', 'random'];
const rules: readonly MethodName[] = ['drift-plus-penalty', 'll-in-slot', 'latency-greedy', 'jsq', 'power-of-two'];

/** The hardware mixes of Fig. 6, in its order. */
export const mixes: readonly Mix[] = ['Hom', 'Mod', 'Het'];

/** The points of all figures. */
export function figurePoints(profile: Profile): FigurePoint[] {
  return figures(profile).flatMap(([figureId, methods, values, seeds]) =>
    values.flatMap((value) => methods.map((method) => ({ ...value, figureId, method, seeds }))),
  );
}

/** `fig8` has LYREO as printed and LYREO, `beyond` every condition and the default. */
function figures(profile: Profile): Crossed[] {
  if (profile.name === 'pilot') return learnerPoints(profile);
  if (profile.name === 'starts') return startPoints(profile);
  const { seeds, windowSeeds, extraSeeds } = profile;
  const at = (figure: FigureId, x: Swept['x'] = 'default', system: Swept['system'] = {}): Swept => ({
    x,
    system: { ...systemOf(profile, figure), ...system },
  });
  const byUsers = profile.users.map((users) => at('fig4', users, { users }));
  const byServers = profile.servers.map((servers) => at('fig5', servers, { servers }));
  const byMix = mixes.map((mix) => at('fig6', mix, { mix }));
  const byNu = profile.nu.map((latencyWeight) => at('fig7', latencyWeight, { latencyWeight }));
  const byWindow = (windows: readonly number[]): Swept[] =>
    windows.map((window) => ({ ...at('fig8', window), training: { window } }));
  const byPlace = [...byUsers, ...byServers, ...byMix];
  const all = [...learners, ...simple, ...rules, 'wrr'] as const;
  return [
    ['fig2', learners, [at('fig2')], seeds],
    ['fig3', [...learners, ...simple], [at('fig3')], seeds],
    ['table2', ['lyreo', 'lyreo-count', 'lyreo-nolb'], [at('table2')], seeds],
    ['fig4', all, byUsers, seeds],
    ['fig5', all, byServers, seeds],
    ['fig6', all, byMix, seeds],
    ['fig7', ['lyreo'], byNu, seeds],
    ['fig8', ['lyreo-printed'], byWindow(profile.windowsPrinted), windowSeeds],
    ['fig8', ['lyreo'], byWindow(profile.windows), windowSeeds],
    ['extras', [...rules, 'wrr'], [at('extras')], seeds],
    ['printed', ['lyreo-printed', 'ly-ppo-printed', 'ppo-printed'], byPlace, windowSeeds],
    ['beyond', [...learners, ...simple, ...rules], [at('beyond')], extraSeeds],
    ...profile.conditions.map((x): Crossed => {
      const methods = [...(conditions[x].learns ? learners : []), ...simple, ...rules];
      return ['beyond', methods, [{ x, system: conditionSystem(profile, x) }], extraSeeds];
    }),
    ['extras', ['lyreo-slot', 'ly-ppo-booked', 'ly-ppo-own', 'ly-ppo-little'], [at('extras')], extraSeeds],
    ...(profile.name === 'paper' ? lapsePoints(profile) : []),
  ];
}

/** The system of a figure whose U the paper does not print; the default where the profile has no reading of it. */
export function systemOf({ usersOf }: Profile, figure: FigureId): Partial<SystemConfig> {
  const users = usersOf[figure as OpenFigure];
  return users === undefined ? {} : { users };
}
