import { createRng } from '../../src/core/rng';
import { kilobytesToBytes } from '../../src/core/units';
import { EdgeEnv } from '../../src/env/edge-env';
import { Metrics, type RunMetrics } from '../../src/env/metrics';
import { playSlots } from '../../src/env/play-slots';
import { schedulers } from '../../src/schedulers/index';
import type { SystemConfig } from '../../src/system/config';
import { serverSpecs } from '../../src/system/gpus';
import { systemConfig } from '../../src/system/presets';
import type { IterationRecorder } from '../../src/system/trajectory';
import { type BenchFigure, median } from './figure';
import { leanServing } from './lean-serving';

/** The engine that serves: the library's, or the lean loop. */
export type Engine = 'fast' | 'lean';

/** A run that is timed. */
interface Case {
  readonly config: SystemConfig;
  readonly engine: Engine;
  readonly recorder?: IterationRecorder;
}

/** Rows of a trajectory kept in memory and written over, so that recording alone is timed and no disk. */
const TRACE_ROWS = 65_536;

/** Writes every iteration's seven numbers into columns. */
function columnRecorder(): IterationRecorder {
  const columns = Array.from({ length: 7 }, () => new Float64Array(TRACE_ROWS));
  let row = 0;
  return {
    record(server, slot, k, startsAt, seconds, tokens, active): void {
      const i = row++ % TRACE_ROWS;
      columns[0][i] = server;
      columns[1][i] = slot;
      columns[2][i] = k;
      columns[3][i] = startsAt;
      columns[4][i] = seconds;
      columns[5][i] = tokens;
      columns[6][i] = active;
    },
  };
}

/**
 * The whole environment step, slot by slot: workload, mobility, channel, LL in-slot, engine, metrics; drain included.
 *
 * @returns the run's report and the seconds of processor time it took, those of V8's helper threads included: on an idle
 *   machine hardly more than the clock's, and on a busy one still the speed of one core.
 */
export function timedRun({ config, engine, recorder }: Case, seed: number): { seconds: number; metrics: RunMetrics } {
  const constants = { ...config, kvBytesPerToken: kilobytesToBytes(config.kvKilobytesPerToken) };
  const parts = engine === 'fast' ? {} : { serving: leanServing(serverSpecs(config), constants) };
  const env = new EdgeEnv(config, seed, { recorder }, parts);
  const metrics = new Metrics(config.servers, config.balanceTolerance);
  const assign = schedulers['ll-in-slot'](config, createRng(seed).fork('scheduler'));
  const start = process.cpuUsage();
  for (const outcome of playSlots(env, assign)) metrics.add(outcome);
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, metrics: metrics.report() };
}

/** The results must agree before the speeds may be compared. */
function assertSameResults(config: SystemConfig): void {
  const [fast, lean] = (['fast', 'lean'] as const).map((engine) => timedRun({ config, engine }, 7).metrics);
  for (const key of ['arrived', 'completed', 'meanLatency', 'p99Latency', 'deviation', 'meanEta'] as const)
    if (Math.abs(fast[key] - lean[key]) > 1e-9 * Math.max(1, lean[key]))
      throw new Error(`bench: ${key} is ${String(fast[key])} of the library and ${String(lean[key])} of the lean loop`);
}

/** The growth of memory from a tenth of a long run to its end, bytes. */
function memoryGrowth(config: SystemConfig): number {
  const env = new EdgeEnv(config, 1);
  const metrics = new Metrics(config.servers, config.balanceTolerance);
  const assign = schedulers['ll-in-slot'](config, createRng(1));
  let atFirst = 0;
  for (const outcome of playSlots(env, assign)) {
    metrics.add(outcome);
    if (outcome.slot + 1 === config.slots / 10) atFirst = process.memoryUsage.rss();
  }
  return process.memoryUsage.rss() - atFirst;
}

/** Duration and number of the repetitions. */
export interface EnvironmentBenchOptions {
  /** Timed repetitions, of which the median is reported. */
  readonly repetitions: number;
  /** Slots of a repetition at U = 40; fewer at more users. */
  readonly slots: number;
  /** Slots of the memory run. */
  readonly memorySlots: number;
  readonly log: (message: string) => void;
}

/** Measures the environment; the cases take turns, so that a busy machine slows them alike. */
export function benchEnvironment({ repetitions, slots, memorySlots, log }: EnvironmentBenchOptions): BenchFigure[] {
  const system = (users: number, share: number): SystemConfig =>
    systemConfig('calibrated', { users, servers: users / 5, slots: Math.max(10, Math.round(slots * share)) });
  assertSameResults(system(40, 0.05));
  const cases = {
    fast: { config: system(40, 1), engine: 'fast' },
    lean: { config: system(40, 0.2), engine: 'lean' },
    traced: { config: system(40, 1), engine: 'fast', recorder: columnRecorder() },
    tenfold: { config: system(400, 0.1), engine: 'fast' },
    hundredfold: { config: system(4000, 0.01), engine: 'fast' },
  } as const satisfies Record<string, Case>;
  const names = Object.keys(cases) as (keyof typeof cases)[];
  const rates = new Map(names.map((name) => [name, [] as number[]]));
  // Repetition 0 warms up.
  for (let repetition = 0; repetition <= repetitions; repetition++) {
    for (const name of names) {
      const one: Case = cases[name];
      const rate = one.config.slots / timedRun(one, 1 + repetition).seconds;
      if (repetition > 0) rates.get(name)?.push(rate);
    }
    log(repetition === 0 ? 'warmed up' : `repetition ${String(repetition)}/${String(repetitions)}`);
  }
  const rate = (name: keyof typeof cases): number => median(rates.get(name) ?? []);
  // The median of the ratios within a repetition: what slows one case for a while slows its neighbours too.
  const ratio = (a: keyof typeof cases, b: keyof typeof cases, scale = 1): number =>
    median((rates.get(a) ?? []).map((x, i) => (scale * x) / (rates.get(b)?.[i] as number)));
  const perSlot = 'slots/s';

  const growth = memoryGrowth(systemConfig('calibrated', { slots: memorySlots })) / 1e6;
  return [
    {
      bench: 'env U=40 S=8',
      value: rate('fast'),
      unit: perSlot,
      ratio: ratio('fast', 'lean'),
      ratioTo: 'lean loop over the active requests (bar: 4)',
    },
    {
      bench: 'env U=40 S=8, bar',
      value: rate('fast'),
      unit: perSlot,
      ratio: rate('fast') / 25_000,
      ratioTo: '25000 slots/s (bar: 1)',
    },
    { bench: 'env U=40 S=8, lean loop', value: rate('lean'), unit: perSlot, ratio: null, ratioTo: null },
    {
      bench: 'env U=40 S=8, trace on',
      value: rate('traced'),
      unit: perSlot,
      ratio: ratio('traced', 'fast'),
      ratioTo: 'trace off',
    },
    {
      bench: 'env U=400 S=80',
      value: rate('tenfold'),
      unit: perSlot,
      ratio: ratio('fast', 'tenfold', 0.1),
      ratioTo: 'cost per request at U=40 (bar: 2)',
    },
    {
      bench: 'env U=4000 S=800',
      value: rate('hundredfold'),
      unit: perSlot,
      ratio: ratio('fast', 'hundredfold', 0.01),
      ratioTo: 'cost per request at U=40 (bar: 2)',
    },
    { bench: `memory over ${String(memorySlots)} slots`, value: growth, unit: 'MB', ratio: null, ratioTo: null },
  ];
}
