import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { cheapest } from './allowed';
import { Forecast } from './forecast';

/**
 * The forecast with the balance term of P2 on top: by how much a request raises Σ_s Z_s·(x_s − x̄)², where x is the
 * forecast KV occupation over the pool.
 */
export class DriftForecast extends Forecast {
  private readonly shares: Float64Array;
  private zxx = 0;
  private zx = 0;
  private z = 0;
  private sum = 0;

  constructor(view: SlotView) {
    super(view);
    this.shares = new Float64Array(view.serverCount);
  }

  override begin(view: SlotView): void {
    super.begin(view);
    for (let s = 0; s < this.shares.length; s++) this.shares[s] = this.shareNow(s);
    this.sumUp();
  }

  override assign(i: number, s: number): void {
    super.assign(i, s);
    this.shares[s] = this.shareNow(s);
    this.sumUp();
  }

  /** Forecast KV occupation of server s over its pool, at most 1. */
  share(s: number): number {
    return this.shares[s];
  }

  /**
   * The growth of Σ_s Z_s·Y_s if request i goes to server s, over all the slots that it stays, in units of the
   * configuration's balanceUnit².
   */
  balanceGrowth(i: number, s: number): number {
    const { balanceUnit, slotSeconds } = this.view.config;
    const by = this.meanTokens(i) / this.view.maxTokens[s];
    const stay = this.view.predictedTokens[i] * this.iterationSeconds(i, s);
    const queue = this.view.queue[s];
    const after = this.imbalance(
      this.zxx + queue * by * (2 * this.shares[s] + by),
      this.zx + queue * by,
      this.sum + by,
    );
    return ((after - this.imbalance(this.zxx, this.zx, this.sum)) * stay) / (slotSeconds * balanceUnit * balanceUnit);
  }

  private shareNow(s: number): number {
    return Math.min(1, this.occupation(s) / this.view.maxTokens[s]);
  }

  /** Σ Z·(x − x̄)² = Σ Z·x² − 2·x̄·Σ Z·x + x̄²·Σ Z: constant work to raise one x. */
  private imbalance(zxx: number, zx: number, sum: number): number {
    const mean = sum / this.shares.length;
    return zxx - 2 * mean * zx + mean * mean * this.z;
  }

  private sumUp(): void {
    this.zxx = 0;
    this.zx = 0;
    this.z = 0;
    this.sum = 0;
    for (let s = 0; s < this.shares.length; s++) {
      const queue = this.view.queue[s];
      const x = this.shares[s];
      this.zxx += queue * x * x;
      this.zx += queue * x;
      this.z += queue;
      this.sum += x;
    }
  }
}

/**
 * Drift-plus-penalty greedy: requests are assigned one after the other to the server that adds least to the objective
 * of P2 (IV-A), ν·Σ D_tot + Σ_s Z_s·Y_s. The latency is the request's own and the delay that it causes to the
 * others in the running batch; the deviation is that of the forecast KV occupation, for as long as the request stays.
 */
export const driftPlusPenalty: SchedulerFactory = (config, rng) => {
  const cost = new Float64Array(config.servers);
  let forecast: DriftForecast | undefined;
  return (view, assignment) => {
    forecast ??= new DriftForecast(view);
    forecast.begin(view);
    for (let i = 0; i < view.count; i++) {
      for (let s = 0; s < cost.length; s++)
        cost[s] =
          config.latencyWeight * (forecast.latency(i, s) + forecast.delayToOthers(i, s)) + forecast.balanceGrowth(i, s);
      const s = cheapest(view, i, cost, rng);
      assignment[i] = s;
      forecast.assign(i, s);
    }
  };
};
