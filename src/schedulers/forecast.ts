import type { SlotView } from '../env/slot-view';
import { kvTokenIterations } from '../system/token-counts';
import { requestsOn } from './shortest-queue';

/**
 * The costs of an assignment, estimated from sums that are known at the slot's start and kept up to date while the
 * slot's requests are assigned one after the other. Constant work per request and server.
 *
 * With n requests on a server that have R output tokens and W token-iterations left: each holds W/R tokens on average
 * and stays for R/n iterations.
 */
export class Forecast {
  /** Requests on server s, those assigned in this slot included, [S]. */
  readonly requests: Float64Array;
  /** Requests assigned to s in this slot, [S]. */
  readonly batch: Float64Array;
  private readonly batchTokens: Float64Array;
  private readonly output: Float64Array;
  private readonly work: Float64Array;

  constructor(protected view: SlotView) {
    const zeros = new Float64Array(view.serverCount);
    [this.requests, this.batch, this.batchTokens, this.output, this.work] = Array.from({ length: 5 }, () =>
      zeros.slice(),
    );
  }

  begin(view: SlotView): void {
    this.view = view;
    this.batch.fill(0);
    this.batchTokens.fill(0);
    for (let s = 0; s < this.requests.length; s++) {
      this.requests[s] = requestsOn(view, s);
      this.output[s] = view.remainingOutputTokens[s];
      this.work[s] = view.remainingTokenIterations[s];
    }
  }

  /** Counts request i as assigned to server s. */
  assign(i: number, s: number): void {
    const input = this.view.inputTokens[i];
    const output = this.view.predictedTokens[i];
    this.requests[s]++;
    this.batch[s]++;
    this.batchTokens[s] += input;
    this.output[s] += output;
    this.work[s] += kvTokenIterations(input, output);
  }

  /** KV tokens that the requests on s would hold if all were admitted; each is expected to generate at least one token. */
  occupation(s: number): number {
    const n = this.requests[s];
    return n === 0 ? 0 : (n * this.work[s]) / this.output[s];
  }

  /** Iterations that the requests on s stay, on average. */
  residence(s: number): number {
    const n = this.requests[s];
    return n === 0 ? 0 : this.output[s] / n;
  }

  /** Mean KV tokens of request i while it decodes. */
  meanTokens(i: number): number {
    return this.view.inputTokens[i] + this.view.predictedTokens[i] / 2;
  }

  /** KV tokens on s, averaged over the next `iterations`; some of the requests there leave before. */
  private occupationDuring(s: number, iterations: number): number {
    const residence = this.residence(s);
    return this.occupation(s) * (residence < iterations ? residence / iterations : 1);
  }

  /** Iteration time on s while request i decodes, s. */
  iterationSeconds(i: number, s: number): number {
    const most = this.view.maxTokens[s];
    const held = this.occupationDuring(s, this.view.predictedTokens[i]) + this.meanTokens(i);
    return this.view.iterationSeconds(s, Math.min(held, most));
  }

  /** Seconds from the slot's start until request i would have its last token on server s. */
  latency(i: number, s: number): number {
    const { view } = this;
    const tokens = this.batchTokens[s] + view.inputTokens[i];
    const transmission = view.transmissionSeconds(i, s, this.batch[s] + 1);
    const prefill = Math.max(transmission, view.prefillSeconds[s]) + tokens / view.servers[s].prefillTokensPerSecond;
    const iteration = this.iterationSeconds(i, s);
    const most = view.maxTokens[s];
    const excess = Math.max(0, this.occupation(s) + this.meanTokens(i) - most);
    const admission = (excess / most) * this.residence(s) * iteration;
    return prefill + admission + view.predictedTokens[i] * iteration;
  }

  /**
   * Seconds by which request i delays the others on server s, all together: slower iterations while both are there,
   * and a later admission where the pool is full.
   */
  delayToOthers(i: number, s: number): number {
    const { view } = this;
    const n = this.requests[s];
    if (n === 0) return 0;
    const output = view.predictedTokens[i];
    const most = view.maxTokens[s];
    const together = Math.min(output, this.residence(s));
    const before = this.occupationDuring(s, output);
    const slower =
      view.iterationSeconds(s, Math.min(most, before + this.meanTokens(i))) -
      view.iterationSeconds(s, Math.min(most, before));
    return n * together * slower;
  }
}
