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

/** Requests on one server, or on all, by batch: sums over a batch's slots. */
interface Series {
  readonly backlog: number[];
  readonly arrivals: number[];
  /** Requests that arrived so far. */
  arrived: number;
  /** The first slot at whose end a request had completed; Infinity before. */
  completesFrom: number;
}

/** A window of one series, in groups: mean requests in the system, requests that arrived per slot, length and middle. */
interface Window {
  readonly slots: number;
  readonly backlog: number[];
  readonly arrivals: number[];
  readonly middle: number[];
  readonly isStationary: boolean;
}

/** Growth per slot: of a random walk, and of a stationary series. */
interface Growth {
  /** Mean of the differences between groups, and its standard error if they are those of a random walk. */
  readonly mean: number;
  readonly error: number;
  /** Upper 95 % bound of the slope of the line through the groups; Infinity where they may be a random walk. */
  readonly most: number;
  /** Whether the second half grew less than half as fast as the first, as at the end of a start-up. */
  readonly levelsOff: boolean;
}

/** The verdict on one series; a reason without its subject. */
interface Finding {
  readonly verdict: StabilityVerdict;
  readonly reason: string;
}

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
  private full = 0;
  private inBatch = 0;
  /** Each server, [S], and the whole; the batch after the full ones is being filled. */
  private readonly servers: readonly Series[];
  private readonly whole: Series = emptySeries();

  /** @param serverCount S. */
  constructor(serverCount: number) {
    this.servers = Array.from({ length: serverCount }, emptySeries);
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
      this.addTo(this.servers[s], backlog[s], arrivals[s]);
      inSystem += backlog[s];
      arrived += arrivals[s];
    }
    this.addTo(this.whole, inSystem, arrived);
    this.slots++;
    if (++this.inBatch < this.batchSlots) return;
    this.inBatch = 0;
    if (++this.full < MOST_BATCHES) return;
    for (const { backlog, arrivals } of [...this.servers, this.whole])
      for (const sums of [backlog, arrivals]) {
        for (let b = 0; b < MOST_BATCHES / 2; b++) sums[b] = sums[2 * b] + sums[2 * b + 1];
        sums.length = MOST_BATCHES / 2;
      }
    this.full = MOST_BATCHES / 2;
    this.batchSlots *= 2;
  }

  /** The verdict on the slots so far. */
  stability(): Stability {
    const count = this.servers.length;
    if (this.slots * WINDOWS[0] < LEAST_WINDOW_SLOTS) {
      const reason = `only ${this.slots} slots, too few to tell growth from start-up; at least ${Math.ceil(LEAST_WINDOW_SLOTS / WINDOWS[0])} are needed`;
      return { verdict: 'UNKNOWN', reason, perServer: this.servers.map(() => 'UNKNOWN') };
    }
    const servers = this.servers.map((series) => this.judge(series, OVERLOAD_LEVEL / count));
    const whole = this.judge(this.whole, OVERLOAD_LEVEL);
    const perServer = servers.map(({ verdict }) => verdict);
    const withVerdict = (verdict: StabilityVerdict): number[] =>
      [...servers.keys()].filter((s) => perServer[s] === verdict);
    const named = (indices: readonly number[]): string =>
      `${indices.length === 1 ? 'server' : 'servers'} ${indices.map((s) => s + 1).join(', ')} of ${count}`;
    const wholeText = `requests in the system ${whole.reason}`;
    const overloaded = withVerdict('OVERLOADED');
    if (overloaded.length > 0)
      return {
        verdict: 'OVERLOADED',
        reason: `${named(overloaded)}: requests on server ${overloaded[0] + 1} ${servers[overloaded[0]].reason}`,
        perServer,
      };
    if (whole.verdict === 'OVERLOADED') return { verdict: 'OVERLOADED', reason: wholeText, perServer };
    const unknown = withVerdict('UNKNOWN');
    if (whole.verdict === 'UNKNOWN' || unknown.length === 0) return { ...whole, reason: wholeText, perServer };
    const reason = `${named(unknown)} undecided: requests on server ${unknown[0] + 1} ${servers[unknown[0]].reason}`;
    return { verdict: 'UNKNOWN', reason, perServer };
  }

  private addTo(series: Series, backlog: number, arrived: number): void {
    if (this.inBatch === 0) {
      series.backlog.push(0);
      series.arrivals.push(0);
    }
    series.backlog[this.full] += backlog;
    series.arrivals[this.full] += arrived;
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
      .map((window) => decide([growthOf(window.backlog, window.middle)], window, level));
    if (findings.length > 0)
      return (
        (findings[0].verdict === 'UNKNOWN' && findings.find(({ verdict }) => verdict === 'OVERLOADED')) || findings[0]
      );
    const perSlot = meanOf(first.arrivals);
    const delay = first.backlog.map((n, k) => (perSlot * n) / first.arrivals[k]);
    return decide([growthOf(first.backlog, first.middle), growthOf(delay, first.middle)], first, level);
  }

  /** The last slots of the run, at least the given share of it, in groups of batches. */
  private window({ backlog, arrivals }: Series, share: number): Window {
    const { full, batchSlots, inBatch, slots } = this;
    const from = Math.floor((slots * (1 - share)) / batchSlots);
    const batches = full - from;
    const edge = (k: number): number => from + Math.round((k * batches) / GROUPS);
    const groups = Array.from({ length: GROUPS }, (_, k) => {
      const isLast = k === GROUPS - 1;
      // The batch that is not full belongs to the last group, so that the run's end counts.
      const [start, end] = [edge(k), edge(k + 1) + (isLast && inBatch > 0 ? 1 : 0)];
      const length = (edge(k + 1) - start) * batchSlots + (isLast ? inBatch : 0);
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

/** Whether arrivals vary between groups no more than their noise, from batch to batch, explains. */
function isStationary(groups: readonly number[], batches: readonly number[], batchSlots: number): boolean {
  const mean = meanOf(groups);
  if (Math.max(...groups) - Math.min(...groups) <= ARRIVALS_RANGE * mean) return true;
  let squares = 0;
  for (let b = 1; b < batches.length; b++) squares += ((batches[b] - batches[b - 1]) / batchSlots) ** 2;
  const noise = squares / (2 * (batches.length - 1));
  const between = groups.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (groups.length - 1);
  return between * (batches.length / groups.length) <= ARRIVALS_F * noise;
}

/** The growth of a series of group means at their middles. */
function growthOf(values: readonly number[], middle: readonly number[]): Growth {
  const differences = values.slice(1).map((x, k) => (x - values[k]) / (middle[k + 1] - middle[k]));
  const n = differences.length;
  const mean = meanOf(differences);
  const variance = differences.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1);
  const half = Math.ceil(n / 2);
  return {
    mean,
    error: Math.sqrt((MEANS_OF_A_WALK * variance) / n),
    most: slopeBound(values, middle),
    levelsOff: meanOf(differences.slice(half)) < meanOf(differences.slice(0, half)) / 2,
  };
}

/**
 * Upper 95 % bound of the slope of the least-squares line. Infinity when the von Neumann ratio Σ(e_k+1 − e_k)²/Σe_k² of
 * its residuals e does not exclude a random walk (Sargan and Bhargava, 1983).
 */
function slopeBound(values: readonly number[], middle: readonly number[]): number {
  const [meanX, meanY] = [meanOf(middle), meanOf(values)];
  const spread = middle.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
  const slope = values.reduce((sum, y, k) => sum + (y - meanY) * (middle[k] - meanX), 0) / spread;
  const residuals = values.map((y, k) => y - meanY - slope * (middle[k] - meanX));
  const squares = residuals.reduce((sum, e) => sum + e * e, 0);
  const steps = residuals.slice(1).reduce((sum, e, k) => sum + (e - residuals[k]) ** 2, 0);
  if (steps < WALK_RATIO * squares) return Infinity;
  return slope + STUDENT_95 * CORRELATED * Math.sqrt(squares / FREEDOM / spread);
}

/** OVERLOADED if all growths are shown, STABLE if one is excluded. */
function decide(growths: readonly Growth[], window: Window, level: number): Finding {
  const { backlog, arrivals, slots } = window;
  const perSlot = meanOf(arrivals);
  const [early, late] = [backlog[0], backlog[backlog.length - 1]];
  const [{ mean }] = growths;
  const isShown = ({ mean: growth, error, levelsOff }: Growth): boolean =>
    growth > 0 && !levelsOff && studentUpperTail(growth / error, FREEDOM) < level;
  const isExcluded = ({ mean: growth, error, most }: Growth): boolean =>
    Math.min(most, growth + STUDENT_95 * error) <= STABLE_GROWTH * perSlot;
  const rate = `${mean >= 0 ? '+' : ''}${mean.toFixed(2)} per slot at ${perSlot.toFixed(1)} arrivals per slot`;
  const reason = `went from ${early.toFixed(1)} to ${late.toFixed(1)} in the last ${slots} slots, ${rate}`;
  if (growths.every(isShown) && late - early > Math.max(perSlot, 1)) return { verdict: 'OVERLOADED', reason };
  if (late > (perSlot * slots) / LONGEST_STAY)
    return { verdict: 'UNKNOWN', reason: `${reason}: more requests than arrive in a third of these slots` };
  if (growths.some(isExcluded)) return { verdict: 'STABLE', reason };
  const why = growths.length > 1 ? 'arrivals that change' : 'chance';
  return { verdict: 'UNKNOWN', reason: `${reason}, which cannot be told from ${why}` };
}

function emptySeries(): Series {
  return {
    backlog: [],
    arrivals: [],
    arrived: 0,
    completesFrom: Infinity,
  };
}
