import type { SlotView } from '../env/slot-view';
import { cheapest } from './allowed';

/**
 * A cost per server whose least is known at any time: a tournament tree, in which a change replays log2(S) matches. With
 * thousands of servers this is what keeps the work per request from growing with them.
 */
export class CostTree {
  /** The costs, [S]; to be changed by `set`. */
  readonly cost: Float64Array;
  /** Winner of every match: node n has the children 2n and 2n + 1, the leaves are the servers. */
  private readonly winner: Int32Array;
  private readonly leaves: number;

  constructor(servers: number) {
    this.cost = new Float64Array(servers);
    this.leaves = 2 ** Math.ceil(Math.log2(servers));
    this.winner = new Int32Array(2 * this.leaves).fill(-1);
    for (let s = 0; s < servers; s++) this.winner[this.leaves + s] = s;
  }

  /** Takes over all costs, [S]. */
  setAll(costs: Float64Array): void {
    this.cost.set(costs);
    for (let node = this.leaves - 1; node > 0; node--) this.play(node);
  }

  set(s: number, cost: number): void {
    this.cost[s] = cost;
    for (let node = (this.leaves + s) >> 1; node > 0; node >>= 1) this.play(node);
  }

  /** The cheapest server that can hold request i; the first of equals. */
  cheapest(view: SlotView, i: number): number {
    const s = this.winner[1];
    return view.allFit || view.fits(i, s) ? s : cheapest(view, i, this.cost);
  }

  private play(node: number): void {
    const a = this.winner[2 * node];
    const b = this.winner[2 * node + 1];
    this.winner[node] = b === -1 || this.cost[a] <= this.cost[b] ? a : b;
  }
}
