import type { SlotView } from '../../src/env/slot-view';
import type { Completion } from '../../src/system/completion';
import type { Workload } from '../../src/system/workload';

/** The columns of the servers' state that a view shows, by name. */
export function serversOf(view: SlotView): Record<string, number[]> {
  const columns = Object.entries(view).filter(
    ([name, column]) => column instanceof Float64Array && name !== 'state' && name !== 'maxTokens',
  ) as [string, Float64Array][];
  return Object.fromEntries(columns.map(([name, column]) => [name, [...column]]));
}

/** The requests of a view's slot and their links. */
export function requestsOf(view: SlotView): unknown {
  const columns = [view.user, view.inputTokens, view.predictedTokens].map((c) => Array.from(c.subarray(0, view.count)));
  const links = Array.from({ length: view.count * view.serverCount }, (_, k) => {
    const [i, s] = [Math.floor(k / view.serverCount), k % view.serverCount];
    return [view.gain(i, s), view.transmissionSeconds(i, s, 3)];
  });
  return { slot: view.slot, columns, links };
}

/** A workload of the given requests, slot by slot; request i of a slot is user i's, and predictions are exact by default. */
export function givenRequests(
  slots: readonly (readonly (readonly [inputTokens: number, outputTokens: number, predictedTokens?: number])[])[],
): Workload {
  return {
    maxRequestsPerSlot: Math.max(1, ...slots.map((slot) => slot.length)),
    fill(slot, out): void {
      const requests = slots[slot] ?? [];
      out.count = requests.length;
      requests.forEach(([input, output, predicted = output], i) => {
        out.user[i] = i;
        out.inputTokens[i] = input;
        out.outputTokens[i] = output;
        out.predictedTokens[i] = predicted;
      });
    },
  };
}

/** The parts of D_tot, s. */
export function partsOf({
  transmission,
  synchronisation,
  prefillQueue,
  prefill,
  admission,
  decode,
}: Completion): number[] {
  return [transmission, synchronisation, prefillQueue, prefill, admission, decode];
}
