import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { Forecast, greedy } from './forecast';

/**
 * The forecast with the balance term of P2 on top: by how much a request raises Σ_s Z_s·(x_s − x̄)², where x is the
 * forecast KV occupation over the pool, at most 1.
 */
class DriftForecast extends Forecast {
  /** x, [S]. */
  private readonly shares = new Float64Array(this.view.serverCount);
  /** Sums over the servers: Σ Z·x², Σ Z·x, Σ Z and Σ x. */
  private sums = { zxx: 0, zx: 0, z: 0, x: 0 };

  constructor(view: SlotView) {
    super(view);
    this.sumUp();
  }

  override assign(i: number, s: number): void {
    super.assign(i, s);
    this.sumUp();
  }

  /** ν times the latency of request i on server s and the delay to others, and the growth of the balance term. */
  override cost(i: number, s: number): number {
    const { latencyWeight } = this.view.config;
    const iteration = this.iterationSeconds(i, s);
    const latency = this.latency(i, s, iteration) + this.delayToOthers(i, s, iteration);
    return latencyWeight * latency + this.balanceGrowth(i, s, iteration);
  }

  /** The growth of Σ_s Z_s·Y_s over all the slots that request i stays on server s, in units of balanceUnit². */
  private balanceGrowth(i: number, s: number, iteration: number): number {
    const { view } = this;
    const { balanceUnit, slotSeconds } = view.config;
    const { zxx, zx, x } = this.sums;
    const by = this.meanTokens(i) / view.maxTokens[s];
    const stay = view.predictedTokens[i] * iteration;
    const queue = view.queue[s];
    const after = this.imbalance(zxx + queue * by * (2 * this.shares[s] + by), zx + queue * by, x + by);
    return ((after - this.imbalance(zxx, zx, x)) * stay) / (slotSeconds * balanceUnit * balanceUnit);
  }

  /** Σ Z·(x − x̄)² = Σ Z·x² − 2·x̄·Σ Z·x + x̄²·Σ Z: constant work to raise one x. */
  private imbalance(zxx: number, zx: number, x: number): number {
    const mean = x / this.shares.length;
    return zxx - 2 * mean * zx + mean * mean * this.sums.z;
  }

  private sumUp(): void {
    const sums = { zxx: 0, zx: 0, z: 0, x: 0 };
    for (let s = 0; s < this.shares.length; s++) {
      const queue = this.view.queue[s];
      const x = Math.min(1, this.occupation(s) / this.view.maxTokens[s]);
      this.shares[s] = x;
      sums.zxx += queue * x * x;
      sums.zx += queue * x;
      sums.z += queue;
      sums.x += x;
    }
    this.sums = sums;
  }
}

/**
 * Drift-plus-penalty greedy: requests are assigned one after the other to the server that adds least to the objective
 * of P2 (IV-A), ν·Σ D_tot + Σ_s Z_s·Y_s. The latency is the request's own and the delay that it causes to the
 * others in the running batch; the deviation is that of the forecast KV occupation, for as long as the request stays.
 */
export const driftPlusPenalty: SchedulerFactory = greedy(DriftForecast);
