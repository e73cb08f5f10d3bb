import { mean as meanOf, studentUpperTail } from '../core/statistics';

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
export const STABLE_GROWTH = 0.02;
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
const LEAST_WINDOW_SLOTS: number = GROUPS;
/** The 99.5 % quantile of F with 19 and about 200 degrees of freedom. */
const ARRIVALS_F = 2.2;
/** Arrivals that vary less than this over a window, relative to their mean, count as stationary. */
const ARRIVALS_RANGE = 0.05;

/** Requests on one server, or on all, by batch: sums over a batch's slots. The last batch may be filling. */
interface Series {
  readonly backlog: number[];
  readonly arrivals: number[];
  /** Requests that arrived so far. */
  arrived: number;
  /** The first slot at whose end a request had completed; Infinity before. */
  completesFrom: number;
}

/** A window of one series, in groups: mean requests in the system, requests that arrived per slot, and the middle slot. */
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
 *
 * Memory: at most 512 batches of slots per server, merged in pairs when they are full, however many slots there are.
 */
export class BacklogRecord {
  private slots = 0;
  private batchSlots = 1;
  /** Slots in the batch that is being filled. */
  private inBatch = 0;
  /** Each server, [S], then all together. */
  private readonly series: readonly Series[];

  /** @param serverCount S. */
  constructor(private readonly serverCount: number) {
    this.series = Array.from({ length: serverCount + 1 }, () => ({
      backlog: [],
      arrivals: [],
      arrived: 0,
      completesFrom: Infinity,
    }));
  }

  /**
   * Adds a slot.
   *
   * @param backlog requests on each server when the slot ended, before the drain, [S].
   * @param arrivals requests that were sent to each server in the slot, without rejected ones, [S].
   */
  add(backlog: Float64Array, arrivals: Float64Array): void {
    let [inSystem, arrived] = [0, 0];
    for (let s = 0; s < this.serverCount; s++) {
      this.addTo(this.series[s], backlog[s], arrivals[s]);
      inSystem += backlog[s];
      arrived += arrivals[s];
    }
    this.addTo(this.series[this.serverCount], inSystem, arrived);
    this.slots++;
    if (++this.inBatch < this.batchSlots) return;
    this.inBatch = 0;
    if (this.series[0].backlog.length < MOST_BATCHES) return;
    for (const { backlog, arrivals } of this.series)
      for (const sums of [backlog, arrivals]) {
        for (let b = 0; b < MOST_BATCHES / 2; b++) sums[b] = sums[2 * b] + sums[2 * b + 1];
        sums.length = MOST_BATCHES / 2;
      }
    this.batchSlots *= 2;
  }

  /** The verdict on the slots so far. */
  stability(): Stability {
    const count = this.serverCount;
    const indices = Array.from({ length: count }, (_, s) => s);
    if (this.slots * WINDOWS[0] < LEAST_WINDOW_SLOTS) {
      const reason = `only ${this.slots} slots, too few to tell growth from start-up; at least ${Math.ceil(LEAST_WINDOW_SLOTS / WINDOWS[0])} are needed`;
      return { verdict: 'UNKNOWN', reason, perServer: indices.map(() => 'UNKNOWN') };
    }
    const servers = indices.map((s) => this.judge(this.series[s], OVERLOAD_LEVEL / count));
    const whole = this.judge(this.series[count], OVERLOAD_LEVEL);
    const perServer = servers.map(({ verdict }) => verdict);
    /** The verdict that some servers have, by their numbers and the reason of the first. */
    const ofServers = (verdict: StabilityVerdict, predicate: string): Stability | undefined => {
      const found = indices.filter((s) => perServer[s] === verdict);
      if (found.length === 0) return undefined;
      const [first] = found;
      const numbers = found.map((s) => s + 1).join(', ');
      const subject = `${found.length === 1 ? 'server' : 'servers'} ${numbers} of ${count}${predicate}`;
      const reason = `${subject}: requests on server ${first + 1} ${servers[first].reason}`;
      return { verdict, reason, perServer };
    };
    return (
      ofServers('OVERLOADED', '') ??
      (whole.verdict === 'STABLE' ? ofServers('UNKNOWN', ' undecided') : undefined) ?? {
        verdict: whole.verdict,
        reason: `requests in the system ${whole.reason}`,
        perServer,
      }
    );
  }

  private addTo(series: Series, backlog: number, arrived: number): void {
    if (this.inBatch === 0) {
      series.backlog.push(0);
      series.arrivals.push(0);
    }
    const last = series.backlog.length - 1;
    series.backlog[last] += backlog;
    series.arrivals[last] += arrived;
    series.arrived += arrived;
    if (series.completesFrom === Infinity && backlog < series.arrived) series.completesFrom = this.slots;
  }

  private judge(series: Series, level: number): Finding {
    const windows = WINDOWS.filter((share) => share * this.slots >= LEAST_WINDOW_SLOTS).map((share) =>
      this.window(series, share),
    );
    const [first] = windows;
    if (series.arrived > 0 && series.completesFrom >= this.slots - first.slots)
      return {
        verdict: 'UNKNOWN',
        reason: 'had none completed in the first third of the run, which is too short for their latency',
      };
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

  /** The last slots of the run, at least the given share of it, in groups of batches. */
  private window({ backlog, arrivals }: Series, share: number): Window {
    const { batchSlots, inBatch, slots } = this;
    const full = backlog.length - (inBatch > 0 ? 1 : 0);
    const from = Math.floor((slots * (1 - share)) / batchSlots);
    const edge = (k: number): number => from + Math.round((k * (full - from)) / GROUPS);
    const groups = Array.from({ length: GROUPS }, (_, k) => {
      const start = edge(k);
      // The batch that is not full belongs to the last group, so that the run's end counts.
      const end = k < GROUPS - 1 ? edge(k + 1) : backlog.length;
      const length = (edge(k + 1) - start) * batchSlots + (k < GROUPS - 1 ? 0 : inBatch);
      const mean = (sums: readonly number[]): number => sums.slice(start, end).reduce((a, b) => a + b, 0) / length;
      return { backlog: mean(backlog), arrivals: mean(arrivals), middle: start * batchSlots + length / 2 };
    });
    const perGroup = groups.map((group) => group.arrivals);
    return {
      slots: slots - from * batchSlots,
      backlog: groups.map((group) => group.backlog),
      arrivals: perGroup,
      middle: groups.map(({ middle }) => middle),
      isStationary: isStationary(perGroup, arrivals.slice(from, full), batchSlots),
    };
  }
}

/** Σ (x − x̄)². */
function squaresOf(values: readonly number[], mean: number = meanOf(values)): number {
  return values.reduce((sum, x) => sum + (x - mean) ** 2, 0);
}

/** Whether arrivals vary between groups no more than their noise, from batch to batch, explains. */
function isStationary(groups: readonly number[], batches: readonly number[], batchSlots: number): boolean {
  if (Math.max(...groups) - Math.min(...groups) <= ARRIVALS_RANGE * meanOf(groups)) return true;
  let squares = 0;
  for (let b = 1; b < batches.length; b++) squares += ((batches[b] - batches[b - 1]) / batchSlots) ** 2;
  const noise = squares / (2 * (batches.length - 1));
  const between = squaresOf(groups) / (groups.length - 1);
  return between * (batches.length / groups.length) <= ARRIVALS_F * noise;
}

/**
 * Upper 95 % bound of the slope of the least-squares line. Infinity when the von Neumann ratio Σ(e_k+1 − e_k)²/Σe_k² of
 * its residuals e does not exclude a random walk (Sargan and Bhargava, 1983).
 */
function slopeBound(values: readonly number[], middle: readonly number[]): number {
  const [meanX, meanY] = [meanOf(middle), meanOf(values)];
  const spread = squaresOf(middle);
  const slope = values.reduce((sum, y, k) => sum + (y - meanY) * (middle[k] - meanX), 0) / spread;
  const residuals = values.map((y, k) => y - meanY - slope * (middle[k] - meanX));
  const squares = squaresOf(residuals, 0);
  const steps = residuals.slice(1).reduce((sum, e, k) => sum + (e - residuals[k]) ** 2, 0);
  if (steps < WALK_RATIO * squares) return Infinity;
  return slope + STUDENT_95 * CORRELATED * Math.sqrt(squares / FREEDOM / spread);
}

/** OVERLOADED if the growth of each of the series of group means is shown, STABLE if that of one is excluded. */
function decide(
  { backlog, arrivals, middle, slots }: Window,
  series: readonly (readonly number[])[],
  level: number,
): Finding {
  const perSlot = meanOf(arrivals);
  const growths = series.map((values) => {
    const differences = values.slice(1).map((x, k) => (x - values[k]) / (middle[k + 1] - middle[k]));
    const n = differences.length;
    const mean = meanOf(differences);
    // The standard error of the mean if the differences are those of a random walk.
    const error = Math.sqrt((MEANS_OF_A_WALK * (squaresOf(differences) / (n - 1))) / n);
    const half = Math.ceil(n / 2);
    // The second half grew less than half as fast as the first, as at the end of a start-up.
    const levelsOff = meanOf(differences.slice(half)) < meanOf(differences.slice(0, half)) / 2;
    const isShown = mean > 0 && !levelsOff && studentUpperTail(mean / error, FREEDOM) < level;
    const most = Math.min(slopeBound(values, middle), mean + STUDENT_95 * error);
    return { mean, isShown, isExcluded: most <= STABLE_GROWTH * perSlot };
  });
  const [early, late] = [backlog[0], backlog[backlog.length - 1]];
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
