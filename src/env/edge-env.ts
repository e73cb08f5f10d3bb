import { invalid } from '../core/errors';
import { createChannel } from '../system/channel';
import { Completions } from '../system/completion';
import type { SystemConfig } from '../system/config';
import { serverSpecs } from '../system/gpus';
import { checkedConfig } from '../system/presets';
import { Mobility } from '../system/mobility';
import { kilobytesToBytes } from '../core/units';
import type { EdgeServer } from '../system/server';
import { Serving } from '../system/serving';
import { tokensOnArrival } from '../system/token-counts';
import type { IterationRecorder } from '../system/trajectory';
import { type SlotRequests, type Workload, configuredWorkload, slotRequests } from '../system/workload';
import { admitArrivals } from './arrivals';
import { type BalanceMeasure, type CountScale, countActive, countDeviation } from './count-balance';
import { SlotOutcome } from './outcome';
import { type RewardFunction, slotReward } from './reward';
import { SlotView } from './slot-view';
import { balanceDeviation, updateVirtualQueue } from './virtual-queue';

/** The answer of `reset` and `step`. */
export interface TimeStep {
  /** The cut after the last slot is a truncation. */
  readonly stepType: 'first' | 'mid' | 'last';
  /** r_{t+1} per user, see `slotReward`; null for the first step and when no reward function was given. */
  readonly reward: number | null;
  /**
   * The next slot's requests and the servers. Of the last step too, as they were before the drain: a value function may
   * be asked about the state that the cut at T left.
   */
  readonly view: SlotView;
  /** The events of the slot just run; null for the first step. */
  readonly outcome: SlotOutcome | null;
}

export interface EdgeEnvOptions {
  /** Default: none, and time steps carry no reward. */
  readonly reward?: RewardFunction | undefined;
  /** The quantity whose Y and Z are shown to a scheduler and learned from. Default 'eta'. */
  readonly balanceMeasure?: BalanceMeasure | undefined;
  /** Whether a scheduler sees Z; otherwise it sees 0. Default true. */
  readonly showsQueue?: boolean | undefined;
  /** Z_s(0) of the queues that are shown and learned from, [S]; those on which a run is scored begin at 0. Default 0. */
  readonly startQueue?: Float64Array | undefined;
  /** Default: the configuration's lengths, one request per user and slot. */
  readonly workload?: Workload | undefined;
  /** Receives every decode iteration. */
  readonly recorder?: IterationRecorder | undefined;
  /** The engine. Default: a new one with the configuration's servers. */
  readonly serving?: Serving | undefined;
}

/**
 * The edge system as an environment, IV-B1: reset, then step with the slot's assignment T times. After slot T the
 * unfinished requests run to completion and count to the last step (V-A). A run is a function of (config, seed,
 * assignments): requests, users and links are drawn from streams of their own.
 */
export class EdgeEnv {
  readonly view: SlotView;
  readonly outcome: SlotOutcome;
  private readonly serving: Serving;
  private readonly mobility: Mobility;
  private readonly workload: Workload;
  private readonly requests: SlotRequests;
  /** Requests of the slot per server, refused ones included, [S]. */
  private readonly batchCount: Int32Array;
  /** Z of η, on which a run is scored, [S]. */
  private readonly queue: Float64Array;
  /** Z of the balance measure, from which a reward learns, [S]. */
  private readonly learnedQueue: Float64Array;
  /** Z as schedulers see it, [S]. */
  private readonly shownQueue: Float64Array;
  /** Of the balance measure 'count'. */
  private countScale: CountScale = { eta: 0, count: 0 };
  private slot = 0;
  /** Of the slot that is to be run: requests, and those that no server can hold; null before the first. */
  private arrivals: { readonly arrived: number; readonly rejected: number } | null = null;

  constructor(
    readonly config: SystemConfig,
    readonly seed: number,
    private readonly options: EdgeEnvOptions = {},
  ) {
    if (options.serving === undefined) checkedConfig(config);
    const kvBytesPerToken = kilobytesToBytes(config.kvKilobytesPerToken);
    this.serving = options.serving ?? new Serving(serverSpecs(config), { ...config, kvBytesPerToken });
    this.mobility = new Mobility(config, seed);
    this.workload = configuredWorkload(config, seed, options.workload);
    this.requests = slotRequests(this.workload.maxRequestsPerSlot);
    const { servers, table } = this.serving;
    const S = servers.length;
    this.batchCount = new Int32Array(S);
    this.queue = new Float64Array(S);
    this.learnedQueue = options.startQueue?.slice() ?? new Float64Array(S);
    this.shownQueue = options.showsQueue === false ? new Float64Array(S) : this.learnedQueue;
    this.view = new SlotView(config, servers, createChannel(config, seed), this.mobility, this.requests);
    this.outcome = new SlotOutcome(S, new Completions(table, config.slotSeconds), options.balanceMeasure !== 'count');
  }

  get servers(): readonly EdgeServer[] {
    return this.serving.servers;
  }

  /** The first slot's requests. An environment starts once; make a new one for another run. */
  reset(): TimeStep {
    if (this.arrivals !== null) throw new Error('EdgeEnv.reset: this environment has run; make a new one');
    this.observe();
    return { stepType: 'first', reward: null, view: this.view, outcome: null };
  }

  /**
   * Runs one slot.
   *
   * @param assignment server of every request of the view, [view.count].
   * @throws UserError when an entry is no server's index.
   */
  step(assignment: Int32Array): TimeStep {
    const { config, options, outcome, serving, slot } = this;
    const { slotSeconds, balanceTolerance } = config;
    const { learned } = outcome;
    if (slot >= config.slots) throw new Error(`EdgeEnv.step: the run ended after slot ${config.slots}`);
    const preemptionsBefore = this.preemptions;
    this.countBatches(assignment);
    Object.assign(outcome, { slot, ...this.arrivals, lostToPrediction: 0, misassigned: 0, requestSeconds: 0 });
    const countsRequests = options.balanceMeasure === 'count';
    if (countsRequests) countActive(serving.servers, assignment, this.requests.count, learned.deviation);
    this.send(assignment);
    serving.runSlot(slot, options.recorder);
    outcome.readServers(serving);
    outcome.completions.release();
    this.collect(slot);
    balanceDeviation(outcome.eta, outcome.deviation);
    if (countsRequests) countDeviation(this.countScale, outcome.eta, learned.deviation);
    outcome.queue.set(this.queue);
    learned.queue.set(this.learnedQueue);
    updateVirtualQueue(this.queue, outcome.deviation, balanceTolerance);
    updateVirtualQueue(this.learnedQueue, learned.deviation, balanceTolerance);
    this.slot++;
    const isLast = this.slot === config.slots;
    this.mobility.advance(this.slot);
    this.observe();
    if (isLast) this.drain();
    else outcome.requestSeconds += serving.requestCount * slotSeconds;
    outcome.inSystem = serving.requestCount;
    outcome.preemptions = this.preemptions - preemptionsBefore;
    let reward: number | null = null;
    if (options.reward !== undefined) {
      const { delayed, immediate } = slotReward(options.reward(outcome), config.latencyWeight, config.users);
      reward = delayed + immediate;
    }
    return { stepType: isLast ? 'last' : 'mid', reward, view: this.view, outcome };
  }

  /**
   * An independent copy at the same slot with the same future requests, users and links, for counterfactual runs; it has
   * no recorder.
   */
  fork(): EdgeEnv {
    const options = { ...this.options, recorder: undefined, serving: this.serving.fork() };
    const copy = new EdgeEnv(this.config, this.seed, options);
    copy.slot = this.slot;
    copy.mobility.copyFrom(this.mobility);
    copy.queue.set(this.queue);
    copy.learnedQueue.set(this.learnedQueue);
    copy.countScale = { ...this.countScale };
    copy.view.copyHistory(this.view);
    copy.outcome.completions.handles = [...this.outcome.completions.handles];
    copy.observe();
    return copy;
  }

  /** Draws the slot's requests and reads the servers. */
  private observe(): void {
    const { requests, slot, view } = this;
    this.workload.fill(slot, requests);
    const { largest, ...arrivals } = admitArrivals(requests, slot, this.config, view.largestPool);
    this.arrivals = arrivals;
    view.refresh(slot, requests.count, this.shownQueue, largest, this.servers);
  }

  /** Preemptions since the run began. */
  private get preemptions(): number {
    return this.servers.reduce((sum, server) => sum + server.preemptions, 0);
  }

  private countBatches(assignment: Int32Array): void {
    const { requests, batchCount } = this;
    batchCount.fill(0);
    for (let i = 0; i < requests.count; i++) {
      const s = assignment[i];
      // An entry that is missing is NaN or undefined.
      if (!(s >= 0 && s < batchCount.length))
        throw invalid(`assignment[${i}]`, s, `a server's index, 0 to ${batchCount.length - 1}`);
      batchCount[s]++;
    }
  }

  /** Enters the slot's requests into the table and sends them to their servers. */
  private send(assignment: Int32Array): void {
    const { config, requests, batchCount, outcome, view, slot } = this;
    outcome.sent.fill(0);
    for (let i = 0; i < requests.count; i++) {
      const server = assignment[i];
      const inputTokens = requests.inputTokens[i];
      const outputTokens = requests.outputTokens[i];
      const predictedTokens = requests.predictedTokens[i];
      if (tokensOnArrival(config, inputTokens, outputTokens, predictedTokens) > view.maxTokens[server]) {
        outcome.rejected++;
        if (view.isCandidate(i, server)) outcome.lostToPrediction++;
        else outcome.misassigned++;
        continue;
      }
      outcome.sent[server]++;
      const transmission = view.transmissionSeconds(i, server, batchCount[server]);
      const user = requests.user[i];
      this.serving.submit({ slot, index: i, user, server, inputTokens, outputTokens, predictedTokens, transmission });
    }
  }

  /** Moves the requests that have left from the table to the outcome of slot `slot`. */
  private collect(slot: number): void {
    const { completed, lost, table } = this.serving;
    const { outcome } = this;
    const { slotSeconds } = this.config;
    const startAt = slot * slotSeconds;
    for (const handle of lost) {
      outcome.rejected++;
      outcome.lostToPrediction++;
      // No latency counts it, so its time in the earlier slots does not count either.
      outcome.requestSeconds -= startAt - table.slot[handle] * slotSeconds;
      table.release(handle);
    }
    for (const handle of completed) {
      outcome.completions.handles.push(handle);
      outcome.requestSeconds += table.completedAt[handle] - startAt;
    }
  }

  /** After slot T the servers run until nothing is left; their completions count to the last slot (V-A). */
  private drain(): void {
    const { serving, options, outcome } = this;
    const cutAt = this.slot * this.config.slotSeconds;
    for (let slot = serving.nextBusySlot(); slot < Infinity; slot = serving.nextBusySlot()) {
      serving.runSlot(slot, options.recorder);
      this.collect(this.slot - 1);
    }
    outcome.completions.handles.forEach((handle, k) => {
      if (serving.table.completedAt[handle] > cutAt) outcome.drainedLatency += outcome.completions.delays(k).total;
    });
  }
}
