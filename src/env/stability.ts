import { mean as meanOf, sampleVariance, studentUpperTail } from '../core/statistics';

/** Whether the servers keep up with the requests that arrive; UNKNOWN where a run decides neither. */
export type StabilityVerdict = 'STABLE' | 'OVERLOADED' | 'UNKNOWN';

/** The verdict on a run with the numbers that it rests on. */
export interface Stability {
  readonly verdict: StabilityVerdict;
  readonly reason: string;
  /** Server by server, [S]. Absent in runs that were stored before servers had verdicts. */
  readonly perServer?: readonly StabilityVerdict[];
}

/** STABLE excludes, at 95 %, that the backlog grows by this share of the arrivals. */
const STABLE_GROWTH = 0.02;
/** A run with more requests in the system than arrive in this part of it is too short to be called stable. */
const LONGEST_STAY = 3;
/** Probability of a false OVERLOADED: once for the whole system, once for all servers together. */
const OVERLOAD_LEVEL = 0.005;
/** Batches are merged in pairs when there are so many. */
const MOST_BATCHES = 512;
/** Groups of batches in a window; 19 differences, or a line through 20 means, leave 18 degrees of freedom. */
const GROUPS = 20;
const FREEDOM: number = GROUPS - 2;
/** The 95 % quantile of Student's t with 18 degrees of freedom. */
const STUDENT_95 = 1.7341;
/** Of a random walk, Var(mean of the differences of group means) over its estimate s²/n, at most 3/2 (Working, 1960). */
const MEANS_OF_A_WALK = 1.5;
/** The 99 % quantile of the von Neumann ratio of group means of a random walk about their line (simulated). */
const WALK_RATIO = 1.56;
/** A slope's standard error over that of independent residuals, at the correlation of 0.4 that passes for none. */
const CORRELATED = 1.5;
/** The windows, as shares of the run, that end with its last slot: the first third counts as start-up. */
const WINDOWS: readonly number[] = [2 / 3, 1 / 3, 1 / 6, 1 / 12];
/** The 99.5 % quantile of F with 19 and about 200 degrees of freedom. */
const ARRIVALS_F = 2.2;
/** Arrivals that vary less than this over a window, relative to their mean, count as stationary. */
const ARRIVALS_RANGE = 0.05;

/** A window in groups of batches: mean requests there, requests that arrived per slot, and the middle slot. */
interface Window {
  readonly slots: number;
  readonly backlog: readonly number[];
  readonly arrivals: readonly number[];
  readonly middle: readonly number[];
  readonly isStationary: boolean;
}

/** The verdict on one series; a reason without its subject. */
type Finding = Pick<Stability, 'verdict' | 'reason'>;

/**
 * Records the backlog of each server, slot by slot, and judges whether the servers keep up, by the rule of docs/stability.md:
 * OVERLOADED where growth over the last two thirds of the run is shown, STABLE where growth above 2 % of the arrivals is
 * excluded, UNKNOWN where neither is. The system is OVERLOADED if the sum over servers or a server is, STABLE if the sum
 * and all servers are.
 */
export class BacklogRecord {
  private readonly servers: readonly BacklogSeries[];
  private readonly whole = new BacklogSeries();

  constructor(serverCount: number) {
    this.servers = Array.from({ length: serverCount }, () => new BacklogSeries());
  }

  /**
   * Adds a slot.
   *
   * @param backlog requests on each server when the slot ended, before the drain, [S].
   * @param arrivals requests that were sent to each server in the slot, without rejected ones, [S].
   */
  add(backlog: Float64Array, arrivals: Float64Array): void {
    let [inSystem, arrived] = [0, 0];
    for (let s = 0; s < this.servers.length; s++) {
      this.servers[s].add(backlog[s], arrivals[s]);
      inSystem += backlog[s];
      arrived += arrivals[s];
    }
    this.whole.add(inSystem, arrived);
  }

  /** The verdict on the slots so far. */
  stability(): Stability {
    const count = this.servers.length;
    if (this.whole.slots * WINDOWS[0] < GROUPS) {
      const reason = `only ${this.whole.slots} slots, too few to tell growth from start-up; at least ${Math.ceil(GROUPS / WINDOWS[0])} are needed`;
      return { verdict: 'UNKNOWN', reason, perServer: this.servers.map(() => 'UNKNOWN') };
    }
    const findings = this.servers.map((series) => series.judge(OVERLOAD_LEVEL / count));
    const whole = this.whole.judge(OVERLOAD_LEVEL);
    const perServer = findings.map(({ verdict }) => verdict);
    const verdict = perServer.includes('OVERLOADED')
      ? 'OVERLOADED'
      : whole.verdict === 'STABLE' && perServer.includes('UNKNOWN')
        ? 'UNKNOWN'
        : undefined;
    if (verdict === undefined)
      return { verdict: whole.verdict, reason: `requests in the system ${whole.reason}`, perServer };
    const numbers = perServer.flatMap((found, s) => (found === verdict ? [s + 1] : []));
    const subject = `${numbers.length === 1 ? 'server' : 'servers'} ${numbers.join(', ')} of ${count}`;
    const first = `requests on server ${numbers[0]} ${findings[numbers[0] - 1].reason}`;
    return { verdict, reason: `${subject}${verdict === 'UNKNOWN' ? ' undecided' : ''}: ${first}`, perServer };
  }
}

/**
 * The requests on one server, or on all, in batches of equally many slots. At most 512 batches are kept, merged in pairs
 * when there are more, however many slots there are.
 */
class BacklogSeries {
  slots = 0;
  private batchSlots = 1;
  /** Σ of the backlogs and of the arrivals so far. */
  private backlog = 0;
  private arrived = 0;
  /** The same sums at the batches' ends, from 0 on; a sum between two ends is their difference. */
  private backlogAt: number[] = [0];
  private arrivedAt: number[] = [0];
  /** The first slot at whose end a request had completed. */
  private completesFrom = Infinity;

  add(backlog: number, arrived: number): void {
    this.backlog += backlog;
    this.arrived += arrived;
    if (this.completesFrom === Infinity && backlog < this.arrived) this.completesFrom = this.slots;
    if (++this.slots % this.batchSlots > 0) return;
    this.backlogAt.push(this.backlog);
    this.arrivedAt.push(this.arrived);
    if (this.backlogAt.length <= MOST_BATCHES) return;
    this.backlogAt = this.backlogAt.filter((_, b) => b % 2 === 0);
    this.arrivedAt = this.arrivedAt.filter((_, b) => b % 2 === 0);
    this.batchSlots *= 2;
  }

  /** @param level probability of a false OVERLOADED. */
  judge(level: number): Finding {
    const windows = WINDOWS.filter((share) => share * this.slots >= GROUPS).map((share) => this.window(share));
    const [first] = windows;
    if (this.arrived > 0 && this.completesFrom >= this.slots - first.slots) {
      const reason = 'had none completed in the first third of the run, which is too short for their latency';
      return { verdict: 'UNKNOWN', reason };
    }
    const findings = windows
      .filter(({ isStationary }) => isStationary)
      .map((window) => decide(window, [window.backlog], level));
    if (findings.length > 0)
      return (
        (findings[0].verdict === 'UNKNOWN' && findings.find(({ verdict }) => verdict === 'OVERLOADED')) || findings[0]
      );
    const perSlot = meanOf(first.arrivals);
    const delay = first.backlog.map((n, k) => (perSlot * n) / first.arrivals[k]);
    return decide(first, [first.backlog, delay], level);
  }

  /** The last slots of the run, at least the given share of it. */
  private window(share: number): Window {
    const { batchSlots, slots } = this;
    const full = this.backlogAt.length - 1;
    const from = Math.floor((slots * (1 - share)) / batchSlots);
    const ends = Array.from({ length: GROUPS }, (_, k) => from + Math.round((k * (full - from)) / GROUPS));
    // The batch that is not full belongs to the last group, so that the run's end counts.
    const edges = [...ends.map((b) => b * batchSlots), slots];
    const lengths = steps(edges);
    const perSlot = (sumAt: readonly number[], sum: number): number[] =>
      steps([...ends.map((b) => sumAt[b]), sum]).map((between, k) => between / lengths[k]);
    const arrivals = perSlot(this.arrivedAt, this.arrived);
    return {
      slots: slots - from * batchSlots,
      backlog: perSlot(this.backlogAt, this.backlog),
      arrivals,
      middle: lengths.map((length, k) => edges[k] + length / 2),
      isStationary: isStationary(arrivals, steps(this.arrivedAt.slice(from)), batchSlots),
    };
  }
}

/** The differences between neighbours. */
function steps(values: readonly number[]): number[] {
  return values.slice(1).map((x, k) => x - values[k]);
}

function squaresOf(values: readonly number[], around: number): number {
  return values.reduce((sum, x) => sum + (x - around) ** 2, 0);
}

/** Whether arrivals vary between groups no more than their noise, from batch to batch, explains. */
function isStationary(groups: readonly number[], batches: readonly number[], batchSlots: number): boolean {
  if (Math.max(...groups) - Math.min(...groups) <= ARRIVALS_RANGE * meanOf(groups)) return true;
  const changes = steps(batches).map((change) => change / batchSlots);
  const noise = squaresOf(changes, 0) / (2 * changes.length);
  return sampleVariance(groups) * (batches.length / groups.length) <= ARRIVALS_F * noise;
}

/**
 * Upper 95 % bound of the slope of the least-squares line. Infinity when the von Neumann ratio Σ(e_k+1 − e_k)²/Σe_k² of
 * its residuals e does not exclude a random walk (Sargan and Bhargava, 1983).
 */
function slopeBound(values: readonly number[], middle: readonly number[]): number {
  const [meanX, meanY] = [meanOf(middle), meanOf(values)];
  const spread = squaresOf(middle, meanX);
  const slope = values.reduce((sum, y, k) => sum + (y - meanY) * (middle[k] - meanX), 0) / spread;
  const residuals = values.map((y, k) => y - meanY - slope * (middle[k] - meanX));
  const squares = squaresOf(residuals, 0);
  if (squaresOf(steps(residuals), 0) < WALK_RATIO * squares) return Infinity;
  return slope + STUDENT_95 * CORRELATED * Math.sqrt(squares / FREEDOM / spread);
}

/** OVERLOADED if the growth of each of the series of group means is shown, STABLE if that of one is excluded. */
function decide(
  { backlog, arrivals, middle, slots }: Window,
  series: readonly (readonly number[])[],
  level: number,
): Finding {
  const perSlot = meanOf(arrivals);
  const lengths = steps(middle);
  const growths = series.map((values) => {
    const rates = steps(values).map((growth, k) => growth / lengths[k]);
    const mean = meanOf(rates);
    // The standard error of the mean if the differences are those of a random walk.
    const error = Math.sqrt((MEANS_OF_A_WALK * sampleVariance(rates)) / rates.length);
    const half = Math.ceil(rates.length / 2);
    // The second half grew less than half as fast as the first, as at the end of a start-up.
    const levelsOff = meanOf(rates.slice(half)) < meanOf(rates.slice(0, half)) / 2;
    const isShown = mean > 0 && !levelsOff && studentUpperTail(mean / error, FREEDOM) < level;
    const most = Math.min(slopeBound(values, middle), mean + STUDENT_95 * error);
    return { mean, isShown, isExcluded: most <= STABLE_GROWTH * perSlot };
  });
  const [early, late] = [backlog[0], backlog[GROUPS - 1]];
  const [{ mean }] = growths;
  const rate = `${mean >= 0 ? '+' : ''}${mean.toFixed(2)} per slot at ${perSlot.toFixed(1)} arrivals per slot`;
  const reason = `went from ${early.toFixed(1)} to ${late.toFixed(1)} in the last ${slots} slots, ${rate}`;
  if (growths.every(({ isShown }) => isShown) && late - early > Math.max(perSlot, 1))
    return { verdict: 'OVERLOADED', reason };
  if (late > (perSlot * slots) / LONGEST_STAY)
    return { verdict: 'UNKNOWN', reason: `${reason}: more requests than arrive in a third of these slots` };
  if (growths.some(({ isExcluded }) => isExcluded)) return { verdict: 'STABLE', reason };
  const why = growths.length > 1 ? 'arrivals that change' : 'chance';
  return { verdict: 'UNKNOWN', reason: `${reason}, which cannot be told from ${why}` };
}
