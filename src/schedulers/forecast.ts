import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { kvTokenIterations } from '../system/token-counts';
import { cheapest } from './choice';

/**
 * The costs of an assignment, estimated from sums that are known at the slot's start and kept up to date while the
 * slot's requests are assigned one after the other. Constant work per request and server.
 *
 * With n requests on a server that have R output tokens and W token-iterations left: each holds W/R tokens on average
 * and stays for R/n iterations.
 */
export class Forecast {
  /** n, R and W of every server, requests assigned in this slot included, [S] each. */
  private readonly requests: Float64Array;
  private readonly output: Float64Array;
  private readonly work: Float64Array;
  /** Requests assigned in this slot and Σ l_in over them, [S] each. */
  private readonly batch: Float64Array;
  private readonly batchTokens: Float64Array;

  constructor(protected readonly view: SlotView) {
    this.requests = view.running.map((_, s) => view.requestsOn(s));
    this.output = view.remainingOutputTokens.slice();
    this.work = view.remainingTokenIterations.slice();
    this.batch = new Float64Array(view.serverCount);
    this.batchTokens = new Float64Array(view.serverCount);
  }

  /** The cost of request i on server s. */
  cost(i: number, s: number): number {
    return this.latency(i, s);
  }

  /** Counts request i as assigned to server s. */
  assign(i: number, s: number): void {
    const input = this.view.inputTokens[i];
    const output = this.view.predictedTokens[i];
    this.requests[s]++;
    this.output[s] += output;
    this.work[s] += kvTokenIterations(input, output);
    this.batch[s]++;
    this.batchTokens[s] += input;
  }

  /** KV tokens that the requests on s would hold if all were admitted; each is expected to generate at least one token. */
  occupation(s: number): number {
    const n = this.requests[s];
    return n === 0 ? 0 : (n * this.work[s]) / this.output[s];
  }

  /** Iterations that the requests on s stay, on average. */
  private residence(s: number): number {
    const n = this.requests[s];
    return n === 0 ? 0 : this.output[s] / n;
  }

  /** Mean KV tokens of request i while it decodes. */
  meanTokens(i: number): number {
    return this.view.inputTokens[i] + this.view.predictedTokens[i] / 2;
  }

  /** KV tokens on s while request i would decode there; some of the requests there leave before. */
  private occupationBeside(i: number, s: number): number {
    const residence = this.residence(s);
    const iterations = this.view.predictedTokens[i];
    return this.occupation(s) * (residence < iterations ? residence / iterations : 1);
  }

  /** Iteration time on s with so many tokens, at most a full pool, s. */
  private secondsAt(s: number, tokens: number): number {
    return this.view.iterationSeconds(s, Math.min(tokens, this.view.maxTokens[s]));
  }

  /** Iteration time on s while request i decodes, s. */
  iterationSeconds(i: number, s: number): number {
    return this.secondsAt(s, this.occupationBeside(i, s) + this.meanTokens(i));
  }

  /** Seconds from the slot's start until request i would have its last token on server s. */
  latency(i: number, s: number, iteration: number = this.iterationSeconds(i, s)): number {
    const { view } = this;
    const tokens = this.batchTokens[s] + view.inputTokens[i];
    const transmission = view.transmissionSeconds(i, s, this.batch[s] + 1);
    const prefill = Math.max(transmission, view.prefillSeconds[s]) + tokens / view.servers[s].prefillTokensPerSecond;
    const most = view.maxTokens[s];
    const excess = Math.max(0, this.occupation(s) + this.meanTokens(i) - most);
    const admission = (excess / most) * this.residence(s) * iteration;
    return prefill + admission + view.predictedTokens[i] * iteration;
  }

  /** Seconds by which request i delays the others on server s, all together, by slower iterations while both are there. */
  delayToOthers(i: number, s: number, iteration: number): number {
    const n = this.requests[s];
    if (n === 0) return 0;
    const together = Math.min(this.view.predictedTokens[i], this.residence(s));
    return n * together * (iteration - this.secondsAt(s, this.occupationBeside(i, s)));
  }
}

/** Requests are assigned one after the other, each to the server of least cost by a forecast that counts those before it. */
export function greedy(ForecastOf: new (view: SlotView) => Forecast): SchedulerFactory {
  return (config, rng) => {
    const cost = new Float64Array(config.servers);
    return (view, assignment) => {
      const forecast = new ForecastOf(view);
      for (let i = 0; i < view.count; i++) {
        for (let s = 0; s < cost.length; s++) cost[s] = forecast.cost(i, s);
        const s = cheapest(view, i, cost, rng);
        assignment[i] = s;
        forecast.assign(i, s);
      }
    };
  };
}

/** Latency-greedy: each request goes where its own forecast latency is least. */
export const latencyGreedy: SchedulerFactory = greedy(Forecast);
