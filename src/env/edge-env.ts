import { UserError, invalid } from '../core/errors';
import { type Channel, createChannel } from '../system/channel';
import type { SystemConfig } from '../system/config';
import { serverSpecs } from '../system/gpus';
import { lengthPairs } from '../system/length-pairs';
import { Mobility } from '../system/mobility';
import { kilobytesToBytes } from '../core/units';
import { type EdgeServer, type ServingConstants } from '../system/server';
import { Serving, tokensOnArrival } from '../system/serving';
import { traceWorkload } from '../system/trace-workload';
import type { IterationRecorder } from '../system/trajectory';
import {
  type SlotRequests,
  type Workload,
  slotRequests,
  syntheticWorkload,
  withPredictionError,
} from '../system/workload';
import { type BalanceMeasure, CountBalance } from './count-balance';
import { type Completions, type SlotOutcome, completions, writeDelays } from './outcome';
import { type RewardFunction, slotReward } from './reward';
import { SlotView } from './slot-view';
import { balanceDeviation, updateVirtualQueue } from './virtual-queue';

/** Where in an episode a time step stands, as in dm_env. */
export type StepType = 'first' | 'mid' | 'last';

/** What `reset` and `step` return. The cut at T is a truncation: the discount stays 1. */
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
  /** What happened in the slot just run; null for the first step. */
  readonly outcome: SlotOutcome | null;
}

/** Optional parts of an environment. */
export interface EdgeEnvOptions {
  /** Default: none, and time steps carry no reward. */
  readonly reward?: RewardFunction | undefined;
  /** The quantity whose Y and Z are shown to a scheduler and learned from. Default 'eta'. */
  readonly balanceMeasure?: BalanceMeasure | undefined;
  /** Whether a scheduler sees Z; otherwise it sees 0. Default true. */
  readonly showsQueue?: boolean | undefined;
  /** Default: the configuration's lengths, one request per user and slot. */
  readonly workload?: Workload | undefined;
  /** Receives every decode iteration. */
  readonly recorder?: IterationRecorder | undefined;
}

/** What an environment may take over instead of making its own. */
export interface EdgeEnvParts {
  /** An engine; a forked one, or another that serves alike. */
  readonly serving?: Serving;
  /** The workload, prediction error included. */
  readonly workload?: Workload;
  readonly channel?: Channel;
}

/** The workload that a configuration describes, prediction error included. */
export function configuredWorkload(config: SystemConfig, seed: number, given?: Workload): Workload {
  const truth = given ?? ownWorkload(config, seed);
  return config.predictionError === 'none' ? truth : withPredictionError(truth, config.predictionSigma, seed);
}

/** One request per user and slot, of the synthetic lengths or of the pairs of a file. */
function ownWorkload(config: SystemConfig, seed: number): Workload {
  const { lengthsFile } = config;
  if (lengthsFile === undefined) return syntheticWorkload(config, seed);
  return traceWorkload(lengthPairs(lengthsFile), { ...config, load: { kind: 'per-user' }, seed });
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
  private readonly handles: Int32Array;
  private readonly batchCount: Int32Array;
  private readonly queue: Float64Array;
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
    const constants: ServingConstants = { ...config, kvBytesPerToken: kilobytesToBytes(config.kvKilobytesPerToken) };
    this.serving = parts.serving ?? new Serving(serverSpecs(config), constants);
    this.channel = parts.channel ?? createChannel(config, seed);
    this.mobility = new Mobility(config, seed);
    this.workload = parts.workload ?? configuredWorkload(config, seed, options.workload);
    const most = this.workload.maxRequestsPerSlot;
    const serverCount = this.serving.servers.length;
    this.requests = slotRequests(most);
    this.handles = new Int32Array(most);
    this.batchCount = new Int32Array(serverCount);
    this.queue = new Float64Array(serverCount);
    this.counted = options.balanceMeasure === 'count' ? new CountBalance(serverCount, config.balanceTolerance) : null;
    this.shownQueue =
      options.showsQueue === false ? new Float64Array(serverCount) : (this.counted?.queue ?? this.queue);
    const { servers } = this.serving;
    this.view = new SlotView(
      config,
      servers.map(({ spec }) => spec),
      servers.map(({ maxTokens }) => maxTokens),
      this.channel,
      this.mobility,
      this.requests,
    );
    const perServer = (): Float64Array => new Float64Array(serverCount);
    const scored = { deviation: perServer(), queue: perServer() };
    this.outcome = {
      slot: -1,
      arrived: 0,
      rejected: 0,
      lostToPrediction: 0,
      misassigned: 0,
      preemptions: 0,
      completions: completions(Math.max(64, 4 * most)),
      eta: perServer(),
      peak: perServer(),
      iterations: perServer(),
      ...scored,
      learned: this.counted === null ? scored : { deviation: perServer(), queue: perServer() },
      drainedLatency: 0,
      sent: perServer(),
      backlog: perServer(),
      waiting: 0,
      inSystem: 0,
      requestSeconds: 0,
    };
  }

  /** Requests in the system. */
  get inSystem(): number {
    return this.serving.table.size;
  }

  /** The servers, to look at. */
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
    this.setOutcomeSlot(slot);
    outcome.arrived = this.arrived;
    outcome.rejected = this.oversized;
    outcome.lostToPrediction = 0;
    outcome.misassigned = 0;
    const preemptionsBefore = this.preemptions;
    this.checkAssignment(assignment);
    this.counted?.read(this.serving.servers, assignment, this.requests.count);
    this.send(assignment, slotStartAt);
    this.serving.runSlot(slot, this.options.recorder);
    this.readServers();
    outcome.completions.count = 0;
    outcome.requestSeconds = 0;
    this.collect(slotStartAt);
    outcome.queue.set(this.queue);
    balanceDeviation(outcome.eta, outcome.deviation);
    updateVirtualQueue(this.queue, outcome.deviation, config.balanceTolerance);
    this.counted?.advance(outcome.eta, outcome.learned);
    this.slot++;
    const isLast = this.slot === config.slots;
    this.observe();
    if (isLast) this.drain(slotStartAt, this.slot * config.slotSeconds);
    else outcome.requestSeconds += this.serving.table.size * config.slotSeconds;
    outcome.inSystem = this.serving.table.size;
    outcome.preemptions = this.preemptions - preemptionsBefore;
    const terms = this.options.reward?.(outcome);
    const streams = terms === undefined ? null : slotReward(terms, config.latencyWeight, config.users);
    const reward = streams === null ? null : streams.delayed + streams.immediate;
    return { stepType: isLast ? 'last' : 'mid', reward, discount: 1, view: this.view, outcome };
  }

  /**
   * An independent copy at the same slot with the same future requests, users and links: what a counterfactual run
   * needs. Its recorder, if any, is the one given here.
   */
  fork(recorder?: IterationRecorder): EdgeEnv {
    const { workload, channel } = this;
    const parts = { serving: this.serving.fork(), workload, channel };
    const copy = new EdgeEnv(this.config, this.seed, { ...this.options, recorder }, parts);
    copy.slot = this.slot;
    copy.mobility.copyFrom(this.mobility);
    copy.queue.set(this.queue);
    if (copy.counted !== null && this.counted !== null) copy.counted.copyFrom(this.counted);
    copy.view.copyHistory(this.view);
    copy.readRequests();
    return copy;
  }

  private setOutcomeSlot(slot: number): void {
    (this.outcome as { slot: number }).slot = slot;
  }

  /** Moves the users, draws the slot's requests and reads the servers. */
  private observe(): void {
    if (this.slot > 0) this.mobility.advance(this.slot);
    this.readRequests();
  }

  private readRequests(): void {
    const { requests, view } = this;
    this.workload.fill(this.slot, requests);
    this.arrived = requests.count;
    const largest = this.refuseOversized();
    view.refresh(this.slot, requests.count, this.shownQueue, largest, this.serving.servers);
  }

  /**
   * Takes out the requests that every server would refuse and cuts the predictions of the others to the largest pool;
   * returns the predicted size of the largest that is left, tokens.
   */
  private refuseOversized(): number {
    const { requests } = this;
    const capacity = this.largestPool;
    let kept = 0;
    let largest = 0;
    this.oversized = 0;
    for (let i = 0; i < requests.count; i++) {
      const input = requests.inputTokens[i];
      const output = requests.outputTokens[i];
      // Slot T's requests are only looked at, they never arrive.
      if (input + output > capacity && this.config.oversized === 'error' && this.slot < this.config.slots)
        throw new UserError(
          `slot ${String(this.slot)}, request ${String(i)}: inputTokens + outputTokens is ${String(input + output)}; allowed: at most ${String(capacity)}, the largest KV pool (or set oversized to "reject")`,
        );
      const given = requests.predictedTokens[i];
      if (tokensOnArrival(this.config, input, output, given) > capacity) {
        this.oversized++;
        continue;
      }
      if (given < 1)
        throw invalid(
          `slot ${String(this.slot)}, request ${String(i)}: predictedTokens`,
          given,
          'an integer from 1 to 2147483647',
        );
      // Still too long for every pool, beside an input.
      const predicted = Math.min(given, capacity);
      requests.predictedTokens[i] = predicted;
      largest = Math.max(largest, input + predicted);
      if (kept < i) {
        requests.user[kept] = requests.user[i];
        requests.inputTokens[kept] = input;
        requests.outputTokens[kept] = output;
        requests.predictedTokens[kept] = predicted;
      }
      kept++;
    }
    requests.count = kept;
    return largest;
  }

  /** Preemptions since the run began. */
  private get preemptions(): number {
    let sum = 0;
    for (const server of this.serving.servers) sum += server.preemptions;
    return sum;
  }

  private get largestPool(): number {
    let largest = 0;
    for (const server of this.serving.servers) largest = Math.max(largest, server.maxTokens);
    return largest;
  }

  /** Counts the slot's requests per server. */
  private checkAssignment(assignment: Int32Array): void {
    const { requests, batchCount } = this;
    const { servers } = this.serving;
    batchCount.fill(0);
    this.outcome.sent.fill(0);
    for (let i = 0; i < requests.count; i++) {
      const s = assignment[i];
      // Also of an entry that is not there.
      if (!(s >= 0 && s < servers.length))
        throw invalid(`assignment[${String(i)}]`, s, `a server's index, 0 to ${String(servers.length - 1)}`);
      batchCount[s]++;
    }
  }

  /** Enters the slot's requests into the table and sends them to their servers. */
  private send(assignment: Int32Array, slotStartAt: number): void {
    const { config, requests, handles, batchCount, serving, view } = this;
    const { table, servers } = serving;
    let sent = 0;
    for (let i = 0; i < requests.count; i++) {
      const s = assignment[i];
      const input = requests.inputTokens[i];
      const output = requests.outputTokens[i];
      const predicted = requests.predictedTokens[i];
      if (tokensOnArrival(config, input, output, predicted) > servers[s].maxTokens) {
        this.outcome.rejected++;
        if (view.isCandidate(i, s)) this.outcome.lostToPrediction++;
        else this.outcome.misassigned++;
        continue;
      }
      this.outcome.sent[s]++;
      const handle = table.allocate();
      table.slot[handle] = this.slot;
      table.index[handle] = i;
      table.user[handle] = requests.user[i];
      table.server[handle] = s;
      table.inputTokens[handle] = input;
      table.outputTokens[handle] = output;
      table.predictedTokens[handle] = predicted;
      table.transmissionSeconds[handle] = view.transmissionSeconds(i, s, batchCount[s]);
      handles[sent++] = handle;
    }
    serving.submit(handles, sent, slotStartAt);
  }

  private readServers(): void {
    const { outcome, config, serving } = this;
    let waiting = 0;
    for (let s = 0; s < serving.servers.length; s++) {
      const server = serving.servers[s];
      const tokenShare = serving.constants.kvBytesPerToken / server.spec.kvCapacityBytes;
      outcome.eta[s] = (server.slotTokenSeconds * tokenShare) / config.slotSeconds;
      outcome.peak[s] = server.slotPeakTokens * tokenShare;
      outcome.iterations[s] = server.slotIterations;
      outcome.backlog[s] = server.requestCount;
      waiting += server.waitingCount;
    }
    outcome.waiting = waiting;
  }

  /** Moves the requests that have left from the table to the outcome. */
  private collect(slotStartAt: number): void {
    const { completed, lost, table } = this.serving;
    const { outcome } = this;
    for (let k = 0; k < lost.length; k++) {
      const handle = lost.at(k);
      outcome.rejected++;
      outcome.lostToPrediction++;
      // No latency counts it, so its time in the earlier slots does not count either.
      outcome.requestSeconds -= slotStartAt - table.slot[handle] * this.config.slotSeconds;
      table.release(handle);
    }
    this.reserve(outcome.completions.count + completed.length);
    const done = outcome.completions;
    for (let k = 0; k < completed.length; k++) {
      const handle = completed.at(k);
      const i = done.count++;
      done.slot[i] = table.slot[handle];
      done.index[i] = table.index[handle];
      done.completedSlot[i] = outcome.slot;
      done.user[i] = table.user[handle];
      done.server[i] = table.server[handle];
      done.inputTokens[i] = table.inputTokens[handle];
      done.outputTokens[i] = table.outputTokens[handle];
      done.predictedTokens[i] = table.predictedTokens[handle];
      done.synchronisedAt[i] = table.synchronisedAt[handle];
      done.prefillStartAt[i] = table.prefillStartAt[handle];
      done.prefillEndAt[i] = table.prefillEndAt[handle];
      done.joinedAt[i] = table.joinedAt[handle];
      const completedAt = (done.completedAt[i] = table.completedAt[handle]);
      writeDelays(done, i, {
        arrivedAt: done.slot[i] * this.config.slotSeconds,
        transmission: table.transmissionSeconds[handle],
        decode: table.decodeSeconds[handle],
        decodedBefore: table.decodedBeforeSeconds[handle],
      });
      done.preemptions[i] = table.preemptions[handle];
      outcome.requestSeconds += completedAt - slotStartAt;
      table.release(handle);
    }
  }

  private reserve(capacity: number): void {
    const { outcome } = this;
    if (outcome.completions.slot.length >= capacity) return;
    const larger: Completions = completions(2 * capacity);
    for (const key of Object.keys(larger) as (keyof Completions)[]) {
      if (key === 'count') larger.count = outcome.completions.count;
      else larger[key].set(outcome.completions[key]);
    }
    outcome.completions = larger;
  }

  /** After slot T the servers run until nothing is left; what completes counts to the last slot (V-A). */
  private drain(lastSlotStartAt: number, cutAt: number): void {
    const { serving, options, outcome } = this;
    for (let slot = serving.nextBusySlot(); slot < Infinity; slot = serving.nextBusySlot()) {
      serving.runSlot(slot, options.recorder);
      this.collect(lastSlotStartAt);
    }
    const { completions } = outcome;
    for (let k = 0; k < completions.count; k++)
      if (completions.completedAt[k] > cutAt) outcome.drainedLatency += completions.total[k];
  }
}
