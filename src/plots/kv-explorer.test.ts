import { expect, it } from 'vitest';
import { type Inspection, inspect } from '../env/inspect';
import { schedulers } from '../schedulers/index';
import { systemConfig } from '../system/presets';
import { kvExplorerFigure } from './kv-explorer';

const config = systemConfig('calibrated', { slots: 4, users: 8, servers: 3 });
const runs = [schedulers.random, schedulers['drift-plus-penalty']].map((scheduler) => inspect(config, scheduler, 1));

interface Trace {
  readonly x: Float32Array;
  readonly y: Float32Array;
}
interface Menu {
  readonly buttons: readonly { readonly label: string; readonly args: readonly [{ readonly visible: boolean[] }] }[];
}

it('a followed request shows in each panel the server of its run, and leads from its slot to its last token', () => {
  const found = (run: Inspection, id: string) => run.requests.find((request) => request.id === id)!;
  const moved = runs[0].requests.find(({ id, server }) => found(runs[1], id).server !== server)!;
  const { data, layout } = kvExplorerFigure(runs, 0, { names: ['random', 'greedy'], follow: [moved.id] });
  const [, requests] = (layout as { updatemenus: Menu[] }).updatemenus;
  expect(requests.buttons.map(({ label }) => label)).toEqual(['follow a request', moved.id]);

  const { visible } = requests.buttons[1].args[0];
  expect(visible).toHaveLength(data.length);
  const perPanel = data.length / 2;
  const perServer = (perPanel - 1) / config.servers;
  runs.forEach((run, k) => {
    const shown = Array.from({ length: config.servers }, (_, s) => visible[k * perPanel + s * perServer]);
    expect(shown.indexOf(true)).toBe(found(run, moved.id).server);
    expect(shown.filter(Boolean)).toHaveLength(1);
    const { x, y } = data[(k + 1) * perPanel - 1] as Trace;
    const { arrivedAt, completedAt, server } = found(run, moved.id);
    expect(x[0]).toBeCloseTo(arrivedAt, 4);
    expect(x.at(-1)).toBeCloseTo(completedAt, 4);
    expect(Math.max(...y)).toBeLessThanOrEqual(run.servers[server].kvCapacityBytes / 1e6);
  });
  expect(runs.map((_, k) => requests.buttons[0].args[0].visible[(k + 1) * perPanel - 1])).toEqual([false, false]);
});
