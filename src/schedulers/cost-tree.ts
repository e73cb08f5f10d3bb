import type { Rng } from '../core/rng';
import type { SlotView } from '../env/slot-view';
import { cheapest } from './allowed';

/**
 * A cost per server whose least is known at any time: a tournament tree, in which a change replays log2(S) matches. With
 * thousands of servers it keeps the work per request from growing with them, unless several are equally cheap.
 */
export class CostTree {
  /** The costs, [S]; to be changed by `set`. */
  readonly cost: Float64Array;
  /** The least cost below every node: node n has the children 2n and 2n + 1, the leaves are the servers. */
  private readonly least: Float64Array;

  constructor(servers: number) {
    const leaves = 2 ** Math.ceil(Math.log2(servers));
    this.least = new Float64Array(2 * leaves).fill(Infinity);
    this.cost = this.least.subarray(leaves, leaves + servers);
  }

  /** Takes over all costs, [S]. */
  setAll(costs: Float64Array): void {
    const { least } = this;
    this.cost.set(costs);
    for (let node = least.length / 2 - 1; node > 0; node--)
      least[node] = Math.min(least[2 * node], least[2 * node + 1]);
  }

  set(s: number, cost: number): void {
    const { least } = this;
    let node = least.length / 2 + s;
    least[node] = cost;
    for (node >>= 1; node > 0; node >>= 1) least[node] = Math.min(least[2 * node], least[2 * node + 1]);
  }

  /** The cheapest server that request i may be sent to; equals are drawn. */
  cheapest(view: SlotView, i: number, rng: Rng): number {
    const { least } = this;
    const leaves = least.length / 2;
    let node = 1;
    while (view.allFit && node < leaves && least[2 * node] !== least[2 * node + 1])
      node = 2 * node + (least[2 * node + 1] < least[2 * node] ? 1 : 0);
    return node < leaves ? cheapest(view, i, this.cost, rng) : node - leaves;
  }
}
