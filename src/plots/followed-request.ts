/** A request followed through the KV trajectory of its server. */
import type { InspectedIteration, InspectedRequest, Inspection } from '../env/inspect';
import { requestIterations } from '../env/inspect-request';
import { axisSuffix, megabytes } from './marks';
import { INK } from './theme';

/** End of an iteration, s. */
export const endOf = (row: InspectedIteration): number => row.startsAt + row.seconds;

/** A request's way along the curve of its server: sent, prefilled, admitted, one point per token, and completed. */
export function followedTrace(run: Inspection, id: string, k: number): object {
  const request = run.requests.find((candidate) => candidate.id === id);
  const points = request === undefined ? [] : pathOf(run, request);
  const suffix = axisSuffix(k);
  return {
    type: 'scatter',
    mode: 'lines+markers+text',
    name: id,
    visible: false,
    showlegend: false,
    x: Float32Array.from(points, ({ at }) => at),
    y: Float32Array.from(points, ({ level }) => level),
    text: points.map(({ label }) => label),
    customdata: points.map(({ event }) => event),
    textposition: points.map(({ label }) => (label === id ? 'middle left' : 'top right')),
    textfont: { size: 12, color: INK },
    cliponaxis: false,
    line: { color: INK, width: 3 },
    marker: { color: INK, size: points.map(({ event }) => (event === '' ? 0.1 : 9)) },
    hovertemplate: `${id}, %{x:.3f} s: %{customdata}<extra></extra>`,
    xaxis: `x${suffix}`,
    yaxis: `y${suffix}`,
  };
}

interface PathPoint {
  readonly at: number;
  /** KV cache of the server at that time, MB. */
  readonly level: number;
  /** In the hover text; "" for an iteration. */
  readonly event: string;
  /** Beside the point. */
  readonly label: string;
}

function pathOf(run: Inspection, request: InspectedRequest): PathPoint[] {
  const own = run.iterations.filter(({ server }) => server === request.server);
  const levelAt = (at: number): number =>
    megabytes(own.filter((row) => row.startsAt <= at && endOf(row) >= at).at(-1)?.kvBytes ?? 0);
  const event = (at: number, name: string, label = ''): PathPoint => ({ at, level: levelAt(at), event: name, label });
  const { id, arrivedAt, transmittedAt, synchronisedAt, prefillStartAt, prefillEndAt, joinedAt, completedAt } = request;
  return [
    event(arrivedAt, 'the slot starts', id),
    event(transmittedAt, 'it is sent'),
    event(synchronisedAt, 'the slowest request of its batch is sent'),
    event(prefillStartAt, 'its prefill starts'),
    event(prefillEndAt, 'its prefill ends'),
    event(joinedAt, 'it joins the running batch'),
    ...requestIterations(run, request).map((row) => ({
      at: row.startsAt,
      level: megabytes(row.kvBytes),
      event: '',
      label: '',
    })),
    event(completedAt, 'its last token', `last token after ${request.total.toFixed(2)} s`),
  ];
}
