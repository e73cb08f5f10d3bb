import type { Rng } from '../core/rng';
import type { SlotView } from '../env/slot-view';
import { cheapest } from './allowed';

/**
 * A cost per server whose least is known at any time: a tournament tree, in which a change replays log2(S) matches. With
 * thousands of servers it keeps the work per request from growing with them.
 */
export class CostTree {
  /** The costs, [S]; to be changed by `set`. */
  readonly cost: Float64Array;
  /** The least cost below every node: node n has the children 2n and 2n + 1, the leaves are the servers. */
  private readonly least: Float64Array;
  /** The number of servers below the node that have it, and one of them. */
  private readonly ties: Int32Array;
  private readonly winner: Int32Array;
  private readonly leaves: number;

  constructor(servers: number) {
    this.cost = new Float64Array(servers);
    this.leaves = 2 ** Math.ceil(Math.log2(servers));
    this.least = new Float64Array(2 * this.leaves).fill(Infinity);
    this.ties = new Int32Array(2 * this.leaves);
    this.ties.fill(1, this.leaves, this.leaves + servers);
    this.winner = Int32Array.from(this.ties, (_, node) => node - this.leaves);
  }

  /** Takes over all costs, [S]. */
  setAll(costs: Float64Array): void {
    this.cost.set(costs);
    this.least.set(costs, this.leaves);
    for (let node = this.leaves - 1; node > 0; node--) {
      const { least, ties, winner } = this;
      const [a, b] = [2 * node, 2 * node + 1];
      const best = least[b] < least[a] ? b : a;
      least[node] = least[best];
      ties[node] = least[a] === least[b] ? ties[a] + ties[b] : ties[best];
      winner[node] = winner[best];
    }
  }

  set(s: number, cost: number): void {
    const { least, ties, winner } = this;
    this.cost[s] = cost;
    let node = this.leaves + s;
    let [best, equals, one] = [cost, 1, s];
    least[node] = cost;
    for (; node > 1;) {
      const other = node ^ 1;
      if (least[other] < best) {
        best = least[other];
        equals = ties[other];
        one = winner[other];
      } else if (least[other] === best) equals += ties[other];
      node >>= 1;
      least[node] = best;
      ties[node] = equals;
      winner[node] = one;
    }
  }

  /** The cheapest server that request i may be sent to; equals are drawn. */
  cheapest(view: SlotView, i: number, rng: Rng): number {
    return view.allFit ? this.drawn(rng) : cheapest(view, i, this.cost, rng);
  }

  /** One of the cheapest servers, each as likely. */
  private drawn(rng: Rng): number {
    const { least, ties, leaves } = this;
    if (ties[1] === 1) return this.winner[1];
    const best = least[1];
    let k = rng.int(ties[1]);
    let node = 1;
    while (node < leaves) {
      node *= 2;
      const left = least[node] === best ? ties[node] : 0;
      if (k < left) continue;
      k -= left;
      node++;
    }
    return node - leaves;
  }
}
