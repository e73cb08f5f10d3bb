import type { Rng } from '../core/rng';
import type { SchedulerFactory } from '../env/scheduler';
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

/**
 * Each request goes to the server of least load, with those counted that were assigned before it.
 *
 * @param loadOf the load of server s at the slot's start.
 * @param addedBy what request i adds to it.
 */
export function leastLoad(
  loadOf: (view: SlotView, s: number) => number,
  addedBy: (view: SlotView, i: number, s: number) => number,
): SchedulerFactory {
  return (config, rng) => {
    const load = new CostTree(config.servers);
    return (view, assignment) => {
      for (let s = 0; s < config.servers; s++) load.set(s, loadOf(view, s));
      for (let i = 0; i < view.count; i++) {
        const s = load.cheapest(view, i, rng);
        assignment[i] = s;
        load.set(s, load.cost[s] + addedBy(view, i, s));
      }
    };
  };
}
