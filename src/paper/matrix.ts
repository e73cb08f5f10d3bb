import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import { invalid } from '../core/errors';
import { methodIds } from '../lyreo/method';
import type { TrainingConfig } from '../lyreo/training-config';
import { trainingConfig } from '../lyreo/read-training';
import type { Mix, Preset, SystemConfig } from '../system/config';
import { type FileHashes, fileHashes } from '../system/config-files';
import { serverSpecs } from '../system/gpus';
import { systemConfig } from '../system/presets';
import {
  type ConditionName,
  conditionLearners,
  conditionMethods,
  conditionOf,
  conditionRules,
  scalable,
} from './conditions';
import { learnerSweeps, pilotSystem, pilotTraining } from './learner-sweeps';
import { type MethodName, methodOf } from './methods';

/** Raised when a change of the code changes results that keys do not see: stored runs are then made anew. */
export const RESULTS_VERSION = 1;

/**
 * The figures and tables that experiments can make, in the paper's order; `rho0`: learners that nothing warns of waiting
 * requests. The last five compare learners and belong to the profile `pilot`.
 */
export const artefacts = [
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
export type Artefact = (typeof artefacts)[number];

/** How thoroughly the experiments are made. */
export type ProfileName = 'paper' | 'quick' | 'smoke' | 'pilot';

/** The numbers of a profile. */
export interface Profile {
  readonly name: ProfileName;
  readonly about: string;
  /** The constants that its systems have. */
  readonly preset: Preset;
  readonly seeds: readonly number[];
  /** Seeds of the trainings with another window, Fig. 8. */
  readonly windowSeeds: readonly number[];
  /** Seeds of most learning extras. */
  readonly extraSeeds: readonly number[];
  /** Seeds of the conditions that the paper leaves out. */
  readonly conditionSeeds: readonly number[];
  /** Slots of a training episode, one per update. */
  readonly slots: number;
  readonly updates: number;
  /** Held-out episodes that a method is evaluated on, the same for all methods, and their slots. */
  readonly episodes: number;
  readonly evaluationSlots: number;
  /** Points of the sweeps. */
  readonly users: readonly number[];
  readonly servers: readonly number[];
  readonly nu: readonly number[];
  /** H of LYREO as printed, and of LYREO. */
  readonly windowsPrinted: readonly number[];
  readonly windows: readonly number[];
  readonly conditions: readonly ConditionName[];
  /** For all methods that learn. */
  readonly training: Partial<TrainingConfig>;
  /** For all systems. */
  readonly system: Partial<SystemConfig>;
}

/** Users and servers where nothing is swept. */
const DEFAULT_USERS = 40;
const DEFAULT_SERVERS = 8;

/**
 * The profiles. Servers are swept from 6 on: with 4 or 5, Random falls behind by tens of seconds under the calibrated
 * preset (at 6 it still does, slowly), and such latencies describe no steady state.
 */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  paper: {
    name: 'paper',
    about: 'the paper’s 5 seeds and 800 slots',
    preset: 'calibrated',
    seeds: [1, 2, 3, 4, 5],
    windowSeeds: [1, 2, 3, 4, 5],
    extraSeeds: [1, 2, 3],
    conditionSeeds: [1, 2, 3],
    slots: 800,
    updates: 24,
    episodes: 3,
    evaluationSlots: 800,
    users: [20, 30, 40, 50, 60],
    servers: [6, 8, 12],
    nu: [0.05, 0.5, 1, 2],
    windowsPrinted: [50, 250, 300],
    windows: [2, 12, 50],
    conditions: ['heavy-tails', 'azure', 'burstgpt', 'length-error', 'stale-1', 'stale-3', 'tenfold'],
    training: {},
    system: {},
  },
  quick: {
    name: 'quick',
    about: 'all artefacts within minutes: 3 seeds, short trainings, few points',
    preset: 'calibrated',
    seeds: [1, 2, 3],
    windowSeeds: [1],
    extraSeeds: [1],
    conditionSeeds: [1, 2, 3],
    slots: 200,
    updates: 8,
    episodes: 1,
    evaluationSlots: 400,
    users: [20, 40, 60],
    servers: [6, 8, 12],
    nu: [0.05, 0.5, 2],
    windowsPrinted: [50, 200],
    windows: [2, 12, 50],
    conditions: ['heavy-tails', 'azure', 'length-error', 'stale-1', 'tenfold'],
    training: {},
    system: {},
  },
  smoke: {
    name: 'smoke',
    about: 'whether everything runs, within seconds; its numbers mean nothing',
    preset: 'calibrated',
    seeds: [1, 2],
    windowSeeds: [1],
    extraSeeds: [1],
    conditionSeeds: [1],
    slots: 12,
    updates: 2,
    episodes: 2,
    evaluationSlots: 12,
    users: [4, 6, 8],
    servers: [2, 3],
    nu: [0.05, 0.5, 2],
    windowsPrinted: [3, 6],
    windows: [2, 4],
    conditions: ['azure', 'stale-1', 'tenfold'],
    training: { hidden: [8], updateEpochs: 1, minibatches: 1, predictorSteps: 1, predictorBatch: 2 },
    system: { users: 6, servers: 3 },
  },
  pilot: {
    name: 'pilot',
    about: 'learners compared in fuller pools: credit, ratio, KL stop, lapses',
    preset: 'pilot',
    seeds: [1, 2, 3, 4, 5],
    windowSeeds: [1],
    extraSeeds: [1, 2, 3],
    conditionSeeds: [],
    slots: 800,
    updates: 40,
    episodes: 5,
    evaluationSlots: 800,
    users: [20, 40, 60],
    servers: [],
    nu: [],
    windowsPrinted: [],
    windows: [],
    conditions: [],
    training: pilotTraining,
    system: pilotSystem,
  },
};

/** The names of the profiles. */
export const profileNames: readonly ProfileName[] = Object.keys(profiles) as ProfileName[];

/** A place in the matrix: a method in a system. All its seeds are its cells. */
export interface Point {
  readonly method: MethodName;
  /** Where the system differs from the calibrated default. */
  readonly system: Partial<SystemConfig>;
  /** Where the training differs from the method's own. */
  readonly training: Partial<TrainingConfig>;
  /** Where the system that it is evaluated in differs from the one it was trained in, beside the slots. */
  readonly appliedTo?: Partial<SystemConfig> | undefined;
}

/** One run to be made: a point with a seed. What determines its result is all in here. */
export interface Cell extends Point {
  /** Name and hash of all that determines the result: the run's name in the store. */
  readonly key: string;
  /** Method and what is not default, such as `lyreo-U20`: what the cells of a point have in common. */
  readonly name: string;
  readonly seed: number;
  readonly profile: ProfileName;
  /** All artefacts that show it. */
  readonly artefacts: readonly Artefact[];
  /** The system that is trained in; evaluation differs in `slots`, and in `appliedTo` if there is one. */
  readonly config: SystemConfig;
  /** All hyperparameters; null for a method that does not learn. */
  readonly hyperparameters: TrainingConfig | null;
  /** Seconds of one core that it takes, roughly. */
  readonly cost: number;
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

/** What one artefact shows: every method at every value of what is swept. */
export interface Sweep {
  readonly artefact: Artefact;
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
 * What the artefacts show; `fig8` is two sweeps, of LYREO as printed and of LYREO, `beyond` one per condition and the
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
    { artefact: 'fig2', methods: learners, seeds, values: atDefault },
    { artefact: 'fig3', methods: published, seeds, values: atDefault },
    { artefact: 'table2', methods: ['lyreo', 'lyreo-count', 'lyreo-nolb'], seeds, values: atDefault },
    { artefact: 'fig4', methods: all, seeds, values: profile.users.map((users) => bySystem(users, { users })) },
    { artefact: 'fig5', methods: all, seeds, values: profile.servers.map((servers) => bySystem(servers, { servers })) },
    { artefact: 'fig6', methods: all, seeds, values: mixes.map((mix) => bySystem(mix, { mix })) },
    {
      artefact: 'fig7',
      methods: ['lyreo'],
      seeds,
      values: profile.nu.map((nu) => bySystem(nu, { latencyWeight: nu })),
    },
    {
      artefact: 'fig8',
      methods: ['lyreo-printed'],
      seeds: windowSeeds,
      values: profile.windowsPrinted.map((window) => byTraining(window, { window })),
    },
    {
      artefact: 'fig8',
      methods: ['lyreo'],
      seeds: windowSeeds,
      values: profile.windows.map((window) => byTraining(window, { window })),
    },
    { artefact: 'extras', methods: ['lyreo-seq', ...plainExtras], seeds, values: atDefault },
    { artefact: 'rho0', methods: learners, seeds, values: [withoutWarning({})] },
    {
      artefact: 'rho0',
      methods: ['lyreo'],
      seeds,
      values: [profile.users[0], profile.users[profile.users.length - 1]].map((users) => withoutWarning({ users })),
    },
    ...beyond(profile),
    { artefact: 'extras', methods: learningExtras, seeds: extraSeeds, values: atDefault },
  ];
}

/** Where a method stands in a condition: trained and evaluated in it, or trained at the default and applied to it. */
export function conditionPoint(profile: Profile, name: ConditionName, method: MethodName): Point {
  const { system: fields, learning } = conditionOf(name);
  const system = fields({ users: DEFAULT_USERS, servers: DEFAULT_SERVERS, ...profile.system });
  return method === scalable && learning === 'trained at the default'
    ? { method, system: {}, training: {}, appliedTo: system }
    : { method, system, training: {} };
}

/** The default and every condition of a profile, with the methods asked for there. */
function beyond(profile: Profile): Sweep[] {
  const sweep = (methods: readonly MethodName[], value: Sweep['values'][number]): Sweep => ({
    artefact: 'beyond',
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
 * The whole matrix, or what some artefacts need of it: one cell per run, the shared ones once. Most informative first:
 * a seed of everything before the next seed, and within a seed the artefacts in the paper's order.
 *
 * @param wanted default: all artefacts.
 * @param seeds default: the profile's.
 */
export function matrix(profile: Profile, wanted: readonly Artefact[] = artefacts, seeds?: readonly number[]): Cell[] {
  const found = new Map<string, { cell: Cell; shownBy: Artefact[] }>();
  for (const sweep of sweeps(profile))
    for (const { system, training, appliedTo } of sweep.values)
      for (const method of sweep.methods)
        for (const seed of seeds ?? sweep.seeds) {
          const cell = makeCell(profile, { method, system, training, appliedTo }, seed);
          const entry = found.get(cell.key) ?? { cell, shownBy: [] };
          if (!entry.shownBy.includes(sweep.artefact)) entry.shownBy.push(sweep.artefact);
          found.set(cell.key, entry);
        }
  return [...found.values()]
    .filter(({ shownBy }) => shownBy.some((artefact) => wanted.includes(artefact)))
    .map(({ cell, shownBy }) => ({ ...cell, artefacts: shownBy }))
    .sort((a, b) => a.seed - b.seed);
}

/** One cell of the matrix. */
export function makeCell(profile: Profile, point: Point, seed: number): Cell {
  const { method, system, training, appliedTo } = point;
  const { learning, training: own, batching } = methodOf(method);
  const config = systemConfig(profile.preset, {
    ...profile.system,
    ...(batching === undefined ? {} : { batching }),
    ...system,
    slots: learning === undefined ? profile.evaluationSlots : profile.slots,
  });
  const hyperparameters =
    learning === undefined ? null : trainingConfig(learning, { ...own, ...profile.training, ...training });
  const name = [method, ...differences(profile, config, hyperparameters, method), ...placeOf(appliedTo)].join('-');
  return {
    ...point,
    key: `${name}-s${seed}-${resultHash(profile, point, config, hyperparameters, seed)}`,
    name,
    seed,
    profile: profile.name,
    artefacts: [],
    config,
    hyperparameters,
    cost: costOf(profile, config, hyperparameters, point),
  };
}

/** What of a cell is not default, for its name. */
function differences(
  profile: Profile,
  config: SystemConfig,
  hyperparameters: TrainingConfig | null,
  method: MethodName,
): string[] {
  const { learning, training } = methodOf(method);
  const users = profile.system.users ?? DEFAULT_USERS;
  const servers = profile.system.servers ?? DEFAULT_SERVERS;
  const parts: string[] = [];
  if (config.users !== users) parts.push(`U${config.users}`);
  if (config.servers !== servers) parts.push(`S${config.servers}`);
  if (config.mix !== 'Mod') parts.push(config.mix);
  if (config.lengths !== 'paper') parts.push(config.lengths);
  if (config.lengthsFile !== undefined) parts.push(fileName(config.lengthsFile));
  if (config.predictionError !== 'none') parts.push(`error${config.predictionSigma}`);
  if (config.stateDelaySlots !== undefined) parts.push(`stale${config.stateDelaySlots}`);
  if (config.latencyWeight !== 0.5) parts.push(`nu${config.latencyWeight}`);
  if (learning !== undefined && hyperparameters !== null) {
    const usual = trainingConfig(learning, { ...training, ...profile.training }).window;
    if (hyperparameters.window !== usual) parts.push(`H${hyperparameters.window}`);
    if (hyperparameters.memoryWeight !== 1) parts.push(`rho${hyperparameters.memoryWeight}`);
    parts.push(...otherDifferences(hyperparameters, trainingConfig(learning, { ...training, ...profile.training })));
  }
  return parts;
}

/** `ratio-per-slot`, `criticRate1`: hyperparameters, those without a name of their own above, that are not the usual ones. */
function otherDifferences(hyperparameters: TrainingConfig, usual: TrainingConfig): string[] {
  const fields = (Object.keys(usual) as (keyof TrainingConfig)[]).filter(
    (field) =>
      field !== 'window' &&
      field !== 'memoryWeight' &&
      canonicalJson(hyperparameters[field]) !== canonicalJson(usual[field]),
  );
  return fields.map((field) => {
    const value = hyperparameters[field];
    return `${field}${typeof value === 'string' ? '-' : ''}${String(value)}`.replaceAll(/[^\w.-]/g, '-');
  });
}

/** `to-U400-S80`: where a policy is applied, for a cell's name. */
function placeOf(appliedTo: Partial<SystemConfig> | undefined): string[] {
  if (appliedTo === undefined) return [];
  const { users, servers, ...others } = appliedTo;
  return [
    'to',
    ...(users === undefined ? [] : [`U${users}`]),
    ...(servers === undefined ? [] : [`S${servers}`]),
    ...Object.entries(others).map(([field, value]) => `${field}${String(value)}`.replaceAll(/[^\w.]/g, '_')),
  ];
}

/** `azure` of `samples/azure.csv`. */
function fileName(path: string): string {
  return parse(path).name.replaceAll(/[^\w.]/g, '_');
}

/** Eight hexadecimal digits of all that determines a run's result. */
function resultHash(
  profile: Profile,
  { method, appliedTo }: Point,
  config: SystemConfig,
  hyperparameters: TrainingConfig | null,
  seed: number,
): string {
  const { learning, scheduler, batching } = methodOf(method);
  const { episodes, evaluationSlots } = profile;
  const numbers =
    learning === undefined ? { episodes, evaluationSlots } : { episodes, evaluationSlots, updates: profile.updates };
  // The servers bring in the decode curves, which stand in data/ and not in the configuration.
  const servers = serverSpecs(config);
  const all = {
    version: RESULTS_VERSION,
    learning: learning === undefined ? undefined : methodIds(learning),
    scheduler,
    batching,
    config,
    servers,
    files: hashesOf(config),
    appliedTo,
    appliedFiles: hashesOf(appliedTo),
    hyperparameters,
    numbers,
    seed,
  };
  return createHash('sha256').update(canonicalJson(all)).digest('hex').slice(0, 8);
}

/** Of the files that a system names, if it names any: a path says where a file lies, and not what it holds. */
function hashesOf(system: Partial<SystemConfig> = {}): FileHashes | undefined {
  const hashes = fileHashes(system);
  return Object.keys(hashes).length === 0 ? undefined : hashes;
}

/** JSON with sorted keys and with the infinities that JSON lacks: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, x: unknown) => {
    if (typeof x === 'number' && !Number.isFinite(x)) return String(x);
    if (typeof x !== 'object' || x === null || Array.isArray(x)) return x;
    return Object.fromEntries(Object.entries(x).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

/** Seconds of one core that a run takes, roughly, on a machine of 2025; for the time left only. */
function costOf(
  profile: Profile,
  config: SystemConfig,
  hyperparameters: TrainingConfig | null,
  { method, appliedTo = {} }: Point,
): number {
  const load = config.users / DEFAULT_USERS;
  const place = { ...config, ...appliedTo };
  const evaluation = (profile.episodes * profile.evaluationSlots * place.users) / DEFAULT_USERS;
  if (hyperparameters === null) return 2.5e-4 * evaluation;
  const { predictorSteps, predictorBatch, window } = hyperparameters;
  const { credit, policy } = methodOf(method).learning ?? {};
  const hasPredictor = ['request', 'slot', 'printed'].includes(credit?.id ?? '');
  const predictor = hasPredictor ? 1.4e-5 * predictorSteps * predictorBatch * Math.min(window, profile.slots) : 0;
  const perSlot = (2e-3 + (hasPredictor ? 3.5e-4 : 0) + (policy === 'sequential' ? 1.4e-3 : 0)) * load;
  // A pair scorer looks at every server for every request.
  const pairs = policy === 'sequential' ? (2 * place.servers) / DEFAULT_SERVERS : 1;
  return 6e-4 * evaluation * pairs + profile.updates * (predictor + perSlot * profile.slots);
}

/** The cells of shard i of n, i from 1: every n-th, so that each shard has its share of long ones. */
export function shardOf(cells: readonly Cell[], index: number, count: number): Cell[] {
  return cells.filter((_, k) => k % count === index - 1);
}

/**
 * The artefacts that names stand for; "all" and no names are all of them.
 *
 * @throws UserError naming what is allowed.
 */
export function readArtefacts(names: readonly string[]): Artefact[] {
  if (names.length === 0 || names.includes('all')) return [...artefacts];
  return artefacts.filter((artefact) => {
    const unknown = names.find((name) => !(artefacts as readonly string[]).includes(name));
    if (unknown !== undefined) throw invalid('artefact', unknown, [...artefacts, 'all'].join(', '));
    return names.includes(artefact);
  });
}
