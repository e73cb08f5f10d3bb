import { deepStrictEqual } from 'node:assert';
import type { RunMetrics } from '../../src/env/metrics';
import type { SlotOutcome } from '../../src/env/outcome';
import { type SimulateOptions, simulate } from '../../src/env/simulate';
import { schedulers } from '../../src/schedulers/index';
import type { SystemConfig } from '../../src/system/config';
import { systemConfig } from '../../src/system/presets';
import type { IterationRecorder } from '../../src/system/trajectory';
import { type BenchFigure, type BenchOptions, benchFigure, median, processorSeconds } from './figure';
import { leanServing } from './lean-serving';

/** Keeps every iteration's seven numbers in memory and writes them over, so that recording alone is timed and no disk. */
function columnRecorder(): IterationRecorder {
  const columns = Array.from({ length: 7 }, () => new Float64Array(65_536));
  let row = 0;
  return {
    record(iteration): void {
      const i = row++ % columns[0].length;
      columns[0][i] = iteration.server;
      columns[1][i] = iteration.slot;
      columns[2][i] = iteration.k;
      columns[3][i] = iteration.startsAt;
      columns[4][i] = iteration.seconds;
      columns[5][i] = iteration.kvBytes;
      columns[6][i] = iteration.active;
    },
  };
}

interface PlayOptions extends SimulateOptions {
  /** Serves with the lean loop instead of the library's engine. */
  readonly isLean?: boolean;
}

/** The whole environment step, slot by slot: workload, mobility, channel, LL in-slot, engine, metrics; drain included. */
function play(config: SystemConfig, seed: number, options: PlayOptions): RunMetrics {
  const serving = options.isLean === true ? leanServing(config) : undefined;
  return simulate(config, schedulers['ll-in-slot'], seed, { ...options, serving });
}

/** Throws if the lean loop's results differ from the library's by more than rounding: speeds of the same work are compared. */
export function checkLeanLoop(config: SystemConfig): void {
  const results = (isLean: boolean): unknown =>
    JSON.parse(
      JSON.stringify(play(config, 3, { isLean }), (_key, x: unknown) =>
        typeof x === 'number' ? Number(x.toFixed(9)) : x,
      ),
    );
  deepStrictEqual(results(true), results(false));
}

/** The growth of memory from a tenth of a long run to its end, bytes. */
function memoryGrowth(config: SystemConfig): number {
  let atFirst = 0;
  const onSlot = ({ slot }: SlotOutcome): void => {
    if (slot + 1 === config.slots / 10) atFirst = process.memoryUsage.rss();
  };
  play(config, 1, { onSlot });
  return process.memoryUsage.rss() - atFirst;
}

/**
 * Measures the environment; the cases take turns, so that a busy machine slows them alike. The lean loop comes after them and
 * is compared last: V8 compiles every call for the servers that it has seen, and two kinds in one process slow both.
 */
export function benchEnvironment({ quick, log }: BenchOptions): BenchFigure[] {
  const [repetitions, slots, memorySlots] = quick ? [3, 2000, 20_000] : [7, 10_000, 100_000];
  const system = (users: number, share: number): SystemConfig =>
    systemConfig('calibrated', { users, servers: users / 5, slots: Math.max(10, Math.round(slots * share)) });
  const cases: readonly (readonly [SystemConfig, PlayOptions])[] = [
    [system(40, 1), {}],
    [system(40, 1), { recorder: columnRecorder() }],
    [system(400, 0.1), {}],
    [system(4000, 0.01), {}],
  ];
  const ratesOf = (turns: typeof cases): number[][] => {
    const rates = turns.map((): number[] => []);
    // Repetition 0 warms up.
    for (let repetition = 0; repetition <= repetitions; repetition++) {
      for (const [k, [config, options]] of turns.entries()) {
        const start = process.cpuUsage();
        play(config, 1 + repetition, options);
        if (repetition > 0) rates[k].push(config.slots / processorSeconds(start));
      }
      log(repetition === 0 ? 'warmed up' : `repetition ${String(repetition)}/${String(repetitions)}`);
    }
    return rates;
  };
  const [plain, traced, tenfold, hundredfold] = ratesOf(cases);
  const [lean] = ratesOf([[system(40, 0.2), { isLean: true }]]);
  checkLeanLoop(system(40, 0.05));
  // The median of the ratios within a repetition: what slows one case for a while slows its neighbours too.
  const ratio = (a: readonly number[], b: readonly number[], scale: number): number =>
    median(a.map((x, i) => (scale * x) / b[i]));
  const cost = 'cost per request at U=40 (bar: 2)';
  const figure = (name: string, own: readonly number[], beside: number, ratioTo: string): BenchFigure =>
    benchFigure(`env ${name}`, median(own), 'slots/s', beside, ratioTo);
  const growth = memoryGrowth(systemConfig('calibrated', { slots: memorySlots })) / 1e6;
  return [
    figure('U=40 S=8', plain, ratio(plain, lean, 1), 'lean loop over the active requests (bar: 4)'),
    figure('U=40 S=8, bar', plain, median(plain) / 25_000, '25000 slots/s (bar: 1)'),
    benchFigure('env U=40 S=8, lean loop', median(lean), 'slots/s'),
    figure('U=40 S=8, trace on', traced, ratio(traced, plain, 1), 'trace off'),
    figure('U=400 S=80', tenfold, ratio(plain, tenfold, 0.1), cost),
    figure('U=4000 S=800', hundredfold, ratio(plain, hundredfold, 0.01), cost),
    benchFigure(`memory over ${String(memorySlots)} slots`, growth, 'MB'),
  ];
}
