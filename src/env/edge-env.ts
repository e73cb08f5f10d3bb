import { invalid } from '../core/errors';
import { type Channel, createChannel } from '../system/channel';
import { Completions } from '../system/completion';
import type { SystemConfig } from '../system/config';
import { configuredWorkload } from '../system/configured-workload';
import { serverSpecs } from '../system/gpus';
import { Mobility } from '../system/mobility';
import { kilobytesToBytes } from '../core/units';
import type { EdgeServer } from '../system/server';
import { Serving } from '../system/serving';
import { tokensOnArrival } from '../system/token-counts';
import type { IterationRecorder } from '../system/trajectory';
import { type SlotRequests, type Workload, slotRequests } from '../system/workload';
import { admitArrivals } from './arrivals';
import { type BalanceMeasure, CountBalance } from './count-balance';
import { SlotOutcome, readServers } from './outcome';
import { type RewardFunction, slotReward } from './reward';
import { SlotView } from './slot-view';
import { balanceDeviation, updateVirtualQueue } from './virtual-queue';

/** The place of a time step in its episode, as in dm_env. */
export type StepType = 'first' | 'mid' | 'last';

/** The answer of `reset` and `step`. The cut at T is a truncation: the discount stays 1. */
export interface TimeStep {
  readonly stepType: StepType;
  /** r_{t+1} per user, see `slotReward`; null for the first step and when no reward function was given. */
  readonly reward: number | null;
  readonly discount: number;
  /**
   * The next slot's requests and the servers. Of the last step too, as they were before the drain: the cut at T is a
   * truncation, and a value function may be asked about the state it cut.
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
}

/** Parts that an environment takes over instead of making its own. */
interface EdgeEnvParts {
  /** An engine; a forked one, or another that serves alike. */
  readonly serving?: Serving;
  /** The workload, prediction error included. */
  readonly workload?: Workload;
  readonly channel?: Channel;
}

/**
 * The edge system as an environment, IV-B1: reset, then step with the slot's assignment T times. After slot T the
 * unfinished requests run to completion and count to the last step (V-A).
 *
 * A run is a function of (config, seed, assignments): requests, users and links are drawn from streams of their own,
 * and no draw depends on what a scheduler does.
 */
export class EdgeEnv {
  readonly view: SlotView;
  readonly outcome: SlotOutcome;
  private readonly channel: Channel;
  private readonly requests: SlotRequests;
  private readonly workload: Workload;
  private readonly batchCount: Int32Array;
  private readonly queue: Float64Array;
  /** Z of the balance measure, from which a reward learns, [S]. */
  private readonly learnedQueue: Float64Array;
  private readonly counted: CountBalance | null;
  /** Z as schedulers see it, [S]. */
  private readonly shownQueue: Float64Array;
  private readonly mobility: Mobility;
  private readonly serving: Serving;
  private slot = 0;
  private arrived = 0;
  private oversized = 0;

  constructor(
    readonly config: SystemConfig,
    readonly seed: number,
    private readonly options: EdgeEnvOptions = {},
    parts: EdgeEnvParts = {},
  ) {
    const kvBytesPerToken = kilobytesToBytes(config.kvKilobytesPerToken);
    this.serving = parts.serving ?? new Serving(serverSpecs(config), { ...config, kvBytesPerToken });
    this.channel = parts.channel ?? createChannel(config, seed);
    this.mobility = new Mobility(config, seed);
    this.workload = parts.workload ?? configuredWorkload(config, seed, options.workload);
    const serverCount = this.serving.servers.length;
    this.requests = slotRequests(this.workload.maxRequestsPerSlot);
    this.batchCount = new Int32Array(serverCount);
    this.queue = new Float64Array(serverCount);
    this.learnedQueue = options.startQueue?.slice() ?? new Float64Array(serverCount);
    this.counted = options.balanceMeasure === 'count' ? new CountBalance(serverCount) : null;
    this.shownQueue = options.showsQueue === false ? new Float64Array(serverCount) : this.learnedQueue;
    const { servers } = this.serving;
    this.view = new SlotView(
      config,
      servers.map(({ spec }) => spec),
      servers.map(({ maxTokens }) => maxTokens),
      this.channel,
      this.mobility,
      this.requests,
    );
    this.outcome = new SlotOutcome(
      serverCount,
      new Completions(this.serving.table, config.slotSeconds),
      this.counted === null,
    );
  }

  get servers(): readonly EdgeServer[] {
    return this.serving.servers;
  }

  /** The first slot's requests. An environment starts once; make a new one for another run. */
  reset(): TimeStep {
    if (this.slot !== 0 || this.arrived !== 0)
      throw new Error('EdgeEnv.reset: this environment has run; make a new one');
    this.observe();
    return { stepType: 'first', reward: null, discount: 1, view: this.view, outcome: null };
  }

  /**
   * Runs one slot.
   *
   * @param assignment server of every request of the view, [view.count].
   * @throws UserError when an entry is no server's index.
   */
  step(assignment: Int32Array): TimeStep {
    const { config, outcome, slot } = this;
    if (slot >= config.slots) throw new Error(`EdgeEnv.step: the run ended after slot ${String(config.slots)}`);
    const slotStartAt = slot * config.slotSeconds;
    Object.assign(outcome, {
      slot,
      arrived: this.arrived,
      rejected: this.oversized,
      lostToPrediction: 0,
      misassigned: 0,
    });
    const preemptionsBefore = this.preemptions;
    this.checkAssignment(assignment);
    this.counted?.read(this.serving.servers, assignment, this.requests.count);
    this.send(assignment);
    this.serving.runSlot(slot, this.options.recorder);
    readServers(this.serving, config.slotSeconds, outcome);
    outcome.completions.release();
    outcome.requestSeconds = 0;
    this.collect(slotStartAt);
    outcome.queue.set(this.queue);
    balanceDeviation(outcome.eta, outcome.deviation);
    updateVirtualQueue(this.queue, outcome.deviation, config.balanceTolerance);
    this.counted?.deviation(outcome.eta, outcome.learned.deviation);
    outcome.learned.queue.set(this.learnedQueue);
    updateVirtualQueue(this.learnedQueue, outcome.learned.deviation, config.balanceTolerance);
    this.slot++;
    const isLast = this.slot === config.slots;
    this.mobility.advance(this.slot);
    this.observe();
    if (isLast) this.drain(slotStartAt, this.slot * config.slotSeconds);
    else outcome.requestSeconds += this.serving.requestCount * config.slotSeconds;
    outcome.inSystem = this.serving.requestCount;
    outcome.preemptions = this.preemptions - preemptionsBefore;
    const terms = this.options.reward?.(outcome);
    const streams = terms === undefined ? null : slotReward(terms, config.latencyWeight, config.users);
    const reward = streams === null ? null : streams.delayed + streams.immediate;
    return { stepType: isLast ? 'last' : 'mid', reward, discount: 1, view: this.view, outcome };
  }

  /**
   * An independent copy at the same slot with the same future requests, users and links, for counterfactual runs. Its
   * recorder is the one given here.
   */
  fork(recorder?: IterationRecorder): EdgeEnv {
    const { workload, channel } = this;
    const parts = { serving: this.serving.fork(), workload, channel };
    const copy = new EdgeEnv(this.config, this.seed, { ...this.options, recorder }, parts);
    copy.slot = this.slot;
    copy.mobility.copyFrom(this.mobility);
    copy.queue.set(this.queue);
    copy.learnedQueue.set(this.learnedQueue);
    if (copy.counted !== null && this.counted !== null) copy.counted.copyFrom(this.counted);
    copy.view.copyHistory(this.view);
    copy.outcome.completions.handles = [...this.outcome.completions.handles];
    copy.observe();
    return copy;
  }

  /** Draws the slot's requests and reads the servers. */
  private observe(): void {
    const { requests, view } = this;
    this.workload.fill(this.slot, requests);
    this.arrived = requests.count;
    const { oversized, largest } = admitArrivals(requests, this.slot, this.config, view.largestPool);
    this.oversized = oversized;
    view.refresh(this.slot, requests.count, this.shownQueue, largest, this.serving.servers);
  }

  /** Preemptions since the run began. */
  private get preemptions(): number {
    return this.serving.servers.reduce((sum, server) => sum + server.preemptions, 0);
  }

  /** Counts the slot's requests per server. */
  private checkAssignment(assignment: Int32Array): void {
    const { requests, batchCount } = this;
    const { servers } = this.serving;
    batchCount.fill(0);
    this.outcome.sent.fill(0);
    for (let i = 0; i < requests.count; i++) {
      const s = assignment[i];
      // An entry that is missing is NaN or undefined.
      if (!(s >= 0 && s < servers.length))
        throw invalid(`assignment[${String(i)}]`, s, `a server's index, 0 to ${String(servers.length - 1)}`);
      batchCount[s]++;
    }
  }

  /** Enters the slot's requests into the table and sends them to their servers. */
  private send(assignment: Int32Array): void {
    const { config, requests, batchCount, outcome, view, slot } = this;
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

  /** Moves the requests that have left from the table to the outcome. */
  private collect(slotStartAt: number): void {
    const { completed, lost, table } = this.serving;
    const { outcome } = this;
    const { slotSeconds } = this.config;
    for (const handle of lost) {
      outcome.rejected++;
      outcome.lostToPrediction++;
      // No latency counts it, so its time in the earlier slots does not count either.
      outcome.requestSeconds -= slotStartAt - table.slot[handle] * slotSeconds;
      table.release(handle);
    }
    for (const handle of completed) {
      outcome.completions.handles.push(handle);
      outcome.requestSeconds += table.completedAt[handle] - slotStartAt;
    }
  }

  /** After slot T the servers run until nothing is left; their completions count to the last slot (V-A). */
  private drain(lastSlotStartAt: number, cutAt: number): void {
    const { serving, options, outcome } = this;
    for (let slot = serving.nextBusySlot(); slot < Infinity; slot = serving.nextBusySlot()) {
      serving.runSlot(slot, options.recorder);
      this.collect(lastSlotStartAt);
    }
    outcome.completions.handles.forEach((handle, k) => {
      if (serving.table.completedAt[handle] > cutAt) outcome.drainedLatency += outcome.completions.delays(k).total;
    });
  }
}
