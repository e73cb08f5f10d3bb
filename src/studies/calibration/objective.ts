/** How near the runs of some constants come to the printed numbers and orders. */
import { invalid } from '../../core/errors';
import { publishedFacts } from '../../paper/published';
import { systemConfig } from '../../system/presets';
import { type ConstantName, type Constants, constantNames } from './constants';
import {
  DEFAULT_NU,
  DEFAULT_SLOTS,
  LOAD_WITH_ROOM,
  type Loads,
  type StandIn,
  type TrialRun,
  loadReadings,
  trialRuns,
} from './trial';

/** A run by its place, and a number of it; `keepsUp` is 1, or Infinity where the run is overloaded. */
interface Quantity extends Pick<TrialRun, 'standIn' | 'users' | 'latencyWeight'> {
  readonly metric: 'latency' | 'p99' | 'deviation' | 'highKvPercent' | 'queue' | 'keepsUp';
}

/** A published number, bound or order that the fit is to meet. */
export interface Target {
  readonly name: string;
  readonly of: Quantity;
  /** The target is on `of` over this one, as an order is. */
  readonly over?: Quantity | undefined;
  readonly printed: number;
  /** Which side of the printed number is met as well; absent for a number. */
  readonly side?: 'at most' | 'at least' | undefined;
  readonly weight: number;
}

/**
 * The targets under a reading of the loads. Latencies and P99 weigh twice. The text's statements on methods without
 * learning are bounds: Static < LL < Random, and most of the three (LL and Random, that is) are above PPO's latency.
 * Note: left out are numbers that exclude others: NoLB's latency and P99 (together), and Fig. 7's latencies.
 */
export function targetsOf({ fig2: U, table2: V }: Loads): Target[] {
  const { fig2_convergence: fig2, fig4_users: fig4, fig7_nu: fig7, table2 } = publishedFacts();
  const quantity = (
    standIn: StandIn,
    users: number,
    metric: Quantity['metric'],
    latencyWeight = DEFAULT_NU,
  ): Quantity => ({ standIn, users, latencyWeight, metric });
  // The order of the fields is that of the logs' headers.
  const target = (name: string, of: Quantity, printed: number, side?: Target['side'], over?: Quantity): Target => ({
    name,
    of,
    over,
    printed,
    side,
    weight: side === undefined && (of.metric === 'latency' || of.metric === 'p99') ? 2 : 1,
  });
  const order = (less: StandIn, more: StandIn): Target =>
    target(`Fig. 3 ${less} < ${more}`, quantity(less, U, 'latency'), 1, 'at most', quantity(more, U, 'latency'));
  const [latency, deviation, p99, highKv] = table2.LYREO;
  const [, nolbDeviation, , nolbHighKv] = table2['LYREO-NoLB'];
  return [
    target('Fig. 2 LYREO latency', quantity('LYREO', U, 'latency'), fig2.latency_s.LYREO),
    target('Fig. 2 LYREO queue', quantity('LYREO', U, 'queue'), fig2.mean_virtual_queue.LYREO),
    order('LYREO', 'Static'),
    order('Static', 'LL'),
    order('LL', 'Random'),
    target('Fig. 3 LL above PPO', quantity('LL', U, 'latency'), fig2.latency_s.PPO, 'at least'),
    target('Fig. 3 Random above PPO', quantity('Random', U, 'latency'), fig2.latency_s.PPO, 'at least'),
    target('Fig. 3 Static keeps up', quantity('Static', U, 'keepsUp'), 1),
    target('Fig. 3 LL keeps up', quantity('LL', U, 'keepsUp'), 1),
    target('Table II LYREO latency', quantity('LYREO', V, 'latency'), latency),
    target('Table II LYREO deviation', quantity('LYREO', V, 'deviation'), deviation),
    target('Table II LYREO P99', quantity('LYREO', V, 'p99'), p99),
    target('Table II LYREO high-KV', quantity('LYREO', V, 'highKvPercent'), highKv),
    target('Table II NoLB deviation', quantity('NoLB', V, 'deviation'), nolbDeviation),
    target('Table II NoLB high-KV', quantity('NoLB', V, 'highKvPercent'), nolbHighKv),
    ...fig4.users.map((users, end) =>
      target(`Fig. 4 LYREO latency, U = ${users}`, quantity('LYREO', users, 'latency'), fig4.latency_s.LYREO[end]),
    ),
    ...fig4.users.map((users) =>
      target(`Fig. 4 LYREO deviation, U = ${users}`, quantity('LYREO', users, 'deviation'), 0.009, 'at most'),
    ),
    target(`LYREO keeps up at U = ${LOAD_WITH_ROOM}`, quantity('LYREO', LOAD_WITH_ROOM, 'keepsUp'), 1),
    ...[1, 2].map((nu) =>
      target(`Fig. 7 deviation, ν = ${nu}`, quantity('LYREO', V, 'deviation', nu), fig7.deviation[`${nu}`]),
    ),
  ];
}

/** The error that counts about half: a tenth is hardly seen, a factor of two counts in full. */
const SCALE = 0.2;
/** Numbers of an overloaded run, and numbers of 0, count as a hundred times too much or too little. */
const LARGEST_ERROR: number = Math.log(100);

/** The objective of some runs with its parts. */
export interface Score {
  /** Weighted mean of ln(1 + (ln(ours/printed)/0.2)²); of a bound only the side that misses it. */
  readonly objective: number;
  /** Our numbers, in the order of the targets. */
  readonly values: readonly number[];
  /** Each target's part of the objective. */
  readonly losses: readonly number[];
}

/**
 * Compares runs with targets. The loss of a number grows with the logarithm of its error: it always pulls, but one number
 * that nothing can meet does not outweigh the rest.
 *
 * @throws UserError when a target's run is missing.
 */
export function score(runs: readonly TrialRun[], targets: readonly Target[]): Score {
  const valueOf = ({ standIn, users, latencyWeight, metric }: Quantity): number => {
    const run = runs.find((r) => r.standIn === standIn && r.users === users && r.latencyWeight === latencyWeight);
    if (run === undefined)
      throw invalid('run', `${standIn}, U = ${users}, ν = ${latencyWeight}`, 'one of the runs of a trial');
    if (run.overloaded) return Infinity;
    return metric === 'keepsUp' ? 1 : run[metric];
  };
  const values = targets.map(({ of, over }) => {
    const [numerator, denominator] = [valueOf(of), over === undefined ? 1 : valueOf(over)];
    return numerator === denominator ? 1 : numerator / denominator;
  });
  const sumOfWeights = targets.reduce((sum, { weight }) => sum + weight, 0);
  const losses = targets.map(({ printed, side, weight }, i) => {
    const least = side === 'at most' ? 0 : -LARGEST_ERROR;
    const most = side === 'at least' ? 0 : LARGEST_ERROR;
    const error = Math.max(least, Math.min(most, Math.log(values[i] / printed)));
    return (weight * Math.log1p((error / SCALE) ** 2)) / sumOfWeights;
  });
  return { objective: losses.reduce((sum, loss) => sum + loss, 0), values, losses };
}

/** The reading of the loads under which runs come nearest to the printed numbers, with its objective. */
export function bestReading(runs: readonly TrialRun[]): { readonly objective: number; readonly reading: Loads } {
  return loadReadings
    .map((reading) => ({ objective: score(runs, targetsOf(reading)).objective, reading }))
    .reduce((best, each) => (each.objective < best.objective ? each : best));
}

/** The objective with less and with more of one constant. */
export interface Sensitivity {
  readonly name: ConstantName | 'pathLossDb';
  /** The step down and up. */
  readonly change: '±20 %' | '±10 dB';
  readonly less: number;
  readonly more: number;
}

/** The constants that `sensitivity` can change: the free ones, and the path loss, which is not fitted. */
export const sensitive: readonly Sensitivity['name'][] = [...constantNames, 'pathLossDb'];

/** The objective with one constant 20 % down and up, the others held; the path loss by 10 dB. */
export function sensitivity(
  name: Sensitivity['name'],
  constants: Constants,
  reading: Loads,
  seed: number,
  slots: number = DEFAULT_SLOTS,
): Sensitivity {
  const objective = (step: number): number => {
    const isLoss = name === 'pathLossDb';
    const changed = isLoss ? constants : { ...constants, [name]: (1 + 0.2 * step) * constants[name] };
    const system = isLoss ? { pathLossDb: systemConfig('calibrated').pathLossDb + 10 * step } : {};
    return score(trialRuns(changed, slots, seed, system), targetsOf(reading)).objective;
  };
  return { name, change: name === 'pathLossDb' ? '±10 dB' : '±20 %', less: objective(-1), more: objective(1) };
}
