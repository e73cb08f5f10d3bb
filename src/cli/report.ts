import { alignColumns } from '../core/text-table';
import type { RunMetrics } from '../env/metrics';
import type { SystemConfig } from '../system/config';
import type { ServerSpec } from '../system/scenario';

/** Cells in columns, indented: the first to the left, the others to the right. */
export function textTable(rows: readonly (readonly string[])[], isRight?: (column: number) => boolean): string {
  return alignColumns(rows, isRight)
    .map((line) => `  ${line}`)
    .join('\n');
}

/** Names and what they are, a line each. */
export function textList(rows: readonly (readonly [name: string, about: string])[]): string {
  return textTable(rows, () => false);
}

/** A number with four significant digits; "-" for one that is not finite. */
export function short(x: number): string {
  if (!Number.isFinite(x)) return '-';
  if (x === 0) return '0';
  const size = Math.abs(x);
  return size >= 1e-3 && size < 1e5 ? String(Number(x.toPrecision(4))) : x.toExponential(2);
}

/** A run's report as tables for reading. */
export function reportText(
  metrics: RunMetrics,
  servers: readonly Pick<ServerSpec, 'name' | 'kvCapacityBytes'>[],
  { kvPoolFraction, balanceTolerance: tolerance }: Pick<SystemConfig, 'kvPoolFraction' | 'balanceTolerance'>,
): string {
  const { parts } = metrics;
  const summary = [
    ['requests arrived', String(metrics.arrived), `in ${String(metrics.slots)} slots`],
    ['  completed', String(metrics.completed), ''],
    ['  too large for every KV pool', String(metrics.rejected - metrics.lostToPrediction - metrics.misassigned), ''],
    ['  lost to a wrong prediction', String(metrics.lostToPrediction), 'another server could have held them'],
    ['  sent to too small a pool', String(metrics.misassigned), 'by the scheduler, with exact predictions'],
    ['preemptions', String(metrics.preemptions), 'for want of KV room'],
    ['  in flight', String(metrics.inFlight), 'after the drain'],
    ['latency, mean', short(metrics.meanLatency), 's'],
    ['  transmission', short(parts.transmission), 's'],
    ['  waiting: synchronisation', short(parts.synchronisation), 's'],
    ['  waiting: prefill queue', short(parts.prefillQueue), 's'],
    ['  prefill', short(parts.prefill), 's'],
    ['  waiting: boundary and KV room', short(parts.admission), 's'],
    ['  decode', short(parts.decode), 's'],
    ['latency, median', short(metrics.p50Latency), 's'],
    ['latency, 99th percentile', short(metrics.p99Latency), 's'],
    ['deviation, mean Y', short(metrics.deviation), `tolerance ${short(tolerance)}`],
    [
      'deviation, worst server',
      short(metrics.worstDeviation),
      metrics.worstDeviation <= tolerance ? 'kept' : 'violated',
    ],
    ['virtual queue, mean Z', short(metrics.meanQueue), ''],
    ['virtual queue, at the end', short(metrics.finalQueue), ''],
    ['KV memory-time, mean eta', short(metrics.meanEta), 'share of pool x slot'],
    ['pools above 90 %', short(metrics.highKvPercent), '% of slots and servers'],
    ["Little's law, residual", short(metrics.littleResidual), 'relative; 0: no request lost'],
  ];
  const rows = [
    ['server', 'KV pool GB', 'of GPU GB', 'eta', 'peak KV %', 'deviation', 'iterations', 'verdict'],
    ...metrics.perServer.map((server, s) => [
      servers[s].name,
      short(servers[s].kvCapacityBytes / 1e9),
      short(servers[s].kvCapacityBytes / kvPoolFraction / 1e9),
      short(server.eta),
      short(100 * server.peak),
      short(server.deviation),
      String(server.iterations),
      metrics.stability.perServer?.[s] ?? '-',
    ]),
  ];
  const { verdict, reason } = metrics.stability;
  return `${textTable(summary, (c) => c === 1)}\n\n${textTable(rows)}\n\n${verdict}: ${reason}\n`;
}
