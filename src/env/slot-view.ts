import { type Channel, transmissionSeconds, uplinkRate } from '../system/channel';
import type { SystemConfig } from '../system/config';
import type { Mobility } from '../system/mobility';
import { type DecodeProfile, decodeProfile, iterationSeconds } from '../system/decode-profile';
import type { ServerSpec } from '../system/scenario';
import type { EdgeServer } from '../system/server';
import { kilobytesToBytes } from '../core/units';
import { kvTokenIterations } from '../system/token-counts';
import type { SlotRequests } from '../system/workload';

/** The columns that change from slot to slot, [S] each. */
const CHANGING = [
  'kvTokens',
  'running',
  'waiting',
  'prefilling',
  'prefillSeconds',
  'remainingOutputTokens',
  'remainingTokenIterations',
  'workload',
  'workloadUnit',
  'queue',
] as const;

/**
 * A scheduler's view of the start of a slot (IV-B1): the slot's requests, their links, and the servers before any of the
 * requests is assigned; with `stateDelaySlots`, the servers as they were so many slots ago. Arrays are reused from slot to
 * slot. Nothing here leads to true output lengths: of the servers the view keeps constants and copies of sums, which
 * depend on predictions alone.
 */
export class SlotView {
  /** From 0. */
  slot = 0;
  /** Requests to assign, |Q(t)|. */
  count = 0;
  /** Index of the issuing user, [count]. */
  readonly user: Int32Array;
  /** l_in, tokens, [count]. */
  readonly inputTokens: Int32Array;
  /** l̂_out, tokens, from 1 to the tokens of the largest pool, [count]. */
  readonly predictedTokens: Int32Array;

  /** KV cache of the next iteration, tokens, [S]. */
  kvTokens!: Float64Array;
  /** Requests in the running batch, [S]. */
  running!: Float64Array;
  /** Prefilled requests that wait for admission, [S]. */
  waiting!: Float64Array;
  /** Requests being sent or prefilled, [S]. */
  prefilling!: Float64Array;
  /** Seconds until the prefills of earlier slots have ended, [S]. */
  prefillSeconds!: Float64Array;
  /** Σ max(l̂ − g, 1) over all requests there, g tokens generated so far: output tokens expected to come, [S]. */
  remainingOutputTokens!: Float64Array;
  /** Σ (l_in + k) over those tokens, token-iterations, [S]. */
  remainingTokenIterations!: Float64Array;
  /** Remaining KV memory-time at the present iteration time, over M_s·Δ, [S]: the workload of Section V-B. */
  workload!: Float64Array;
  /** Iteration time over pool size and slot length, [S]: turns token-iterations into workload. */
  workloadUnit!: Float64Array;
  /** Z_s(t), [S]. */
  queue!: Float64Array;
  /** The servers' constants, [S]. */
  readonly servers: readonly ServerSpec[];
  /** Tokens the KV pool holds, [S]. */
  readonly maxTokens: Float64Array;
  /** Whether every request fits every server, so that `fits` need not be asked. */
  allFit = true;
  /** Tokens. */
  readonly largestPool: number;
  private readonly profiles: readonly DecodeProfile[];
  /** The changing columns, one after the other. */
  private readonly state: Float64Array;
  /** The states of the last `stateDelaySlots` + 1 slots, slot t's at t mod their number; none without a delay. */
  private readonly reports: readonly Float64Array[];

  constructor(
    readonly config: SystemConfig,
    servers: readonly EdgeServer[],
    private readonly channel: Channel,
    private readonly mobility: Mobility,
    requests: SlotRequests,
  ) {
    this.user = requests.user;
    this.inputTokens = requests.inputTokens;
    this.predictedTokens = requests.predictedTokens;
    const S = servers.length;
    this.servers = servers.map(({ spec }) => spec);
    this.state = new Float64Array(CHANGING.length * S);
    CHANGING.forEach((name, k) => (this[name] = this.state.subarray(k * S, (k + 1) * S)));
    this.maxTokens = Float64Array.from(servers, ({ maxTokens }) => maxTokens);
    this.largestPool = Math.max(...this.maxTokens);
    this.profiles = servers.map(({ spec }) => decodeProfile(spec.decodeProfile));
    const { stateDelaySlots = 0 } = config;
    this.reports = Array.from({ length: stateDelaySlots === 0 ? 0 : stateDelaySlots + 1 }, () => this.state.slice());
  }

  /** S. */
  get serverCount(): number {
    return this.servers.length;
  }

  /** Requests on server s at the slot's start. */
  requestsOn(s: number): number {
    return this.running[s] + this.waiting[s] + this.prefilling[s];
  }

  /** h_{i,s}(t) of request i on server s. */
  gain(i: number, s: number): number {
    const user = this.user[i];
    return this.channel.gain(this.slot, user, s, this.mobility.x[user], this.mobility.y[user]);
  }

  /** D_tx of request i when server s receives `requestsOnServer` of the slot's requests, s. */
  transmissionSeconds(i: number, s: number, requestsOnServer: number): number {
    const { bandwidthHz, powerW, noiseWPerHz } = this.channel;
    const rate = uplinkRate(bandwidthHz[s], requestsOnServer, powerW[this.user[i]], this.gain(i, s), noiseWPerHz);
    return transmissionSeconds(this.config.bitsPerToken, this.inputTokens[i], rate);
  }

  /** Iteration time of server s at an occupation, s. */
  iterationSeconds(s: number, tokens: number): number {
    return iterationSeconds(this.profiles[s], tokens * kilobytesToBytes(this.config.kvKilobytesPerToken));
  }

  /** Whether server s can ever hold request i, by its predicted length. */
  fits(i: number, s: number): boolean {
    return this.inputTokens[i] + this.predictedTokens[i] <= this.maxTokens[s];
  }

  /**
   * Whether request i may be sent to server s: s can hold it by its predicted length, or none can. A prediction that
   * fits no pool says nothing about where the request belongs.
   */
  isCandidate(i: number, s: number): boolean {
    return this.fits(i, s) || this.inputTokens[i] + this.predictedTokens[i] > this.largestPool;
  }

  /**
   * KV memory-time of request i on server s at the present iteration time, over M_s·Δ: its assignment adds this to
   * `workload`.
   */
  requestWorkload(i: number, s: number): number {
    return kvTokenIterations(this.inputTokens[i], this.predictedTokens[i]) * this.workloadUnit[s];
  }

  /** Reads the servers at the start of slot `slot`. */
  refresh(
    slot: number,
    count: number,
    queue: Float64Array,
    largestRequest: number,
    servers: readonly EdgeServer[],
  ): void {
    const { slotSeconds } = this.config;
    this.slot = slot;
    this.count = count;
    this.queue.set(queue);
    this.allFit = largestRequest <= Math.min(...this.maxTokens);
    for (let s = 0; s < servers.length; s++) {
      const server = servers[s];
      const tokens = server.kvTokens;
      const work = server.expectedWork();
      const unit = server.iterationSeconds(tokens) / (server.maxTokens * slotSeconds);
      this.kvTokens[s] = tokens;
      this.running[s] = server.runningCount;
      this.waiting[s] = server.waitingCount;
      this.prefilling[s] = server.prefillingCount;
      this.prefillSeconds[s] = Math.max(0, server.prefillFreeAt - slot * slotSeconds);
      this.remainingOutputTokens[s] = work.tokens;
      this.remainingTokenIterations[s] = work.tokenIterations;
      this.workloadUnit[s] = unit;
      this.workload[s] = work.tokenIterations * unit;
    }
    const { reports, state } = this;
    if (reports.length === 0) return;
    reports[slot % reports.length].set(state);
    state.set(reports[Math.max(0, slot - reports.length + 1) % reports.length]);
  }

  /** Takes over the earlier slots of another view of the same configuration. */
  copyHistory(other: SlotView): void {
    this.reports.forEach((report, k) => {
      report.set(other.reports[k]);
    });
  }
}
