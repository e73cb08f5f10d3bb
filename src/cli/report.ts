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

export function reportText(
  run: RunMetrics,
  servers: readonly Pick<ServerSpec, 'name' | 'kvCapacityBytes'>[],
  { kvPoolFraction, balanceTolerance: tolerance }: Pick<SystemConfig, 'kvPoolFraction' | 'balanceTolerance'>,
): string {
  const { parts, stability } = run;
  const counts: readonly (readonly [string, number, string?])[] = [
    ['requests arrived', run.arrived, `in ${run.slots} slots`],
    ['  completed', run.completed],
    ['  too large for every KV pool', run.rejected - run.lostToPrediction - run.misassigned],
    ['  lost to a wrong prediction', run.lostToPrediction, 'another server could have held them'],
    ['  sent to too small a pool', run.misassigned, 'by the scheduler, with exact predictions'],
    ['preemptions', run.preemptions, 'for want of KV room'],
    ['  in flight', run.inFlight, 'after the drain'],
  ];
  const measures: readonly (readonly [string, number, string?])[] = [
    ['latency, mean', run.meanLatency, 's'],
    ['  transmission', parts.transmission, 's'],
    ['  waiting: synchronisation', parts.synchronisation, 's'],
    ['  waiting: prefill queue', parts.prefillQueue, 's'],
    ['  prefill', parts.prefill, 's'],
    ['  waiting: boundary and KV room', parts.admission, 's'],
    ['  decode', parts.decode, 's'],
    ['latency, median', run.p50Latency, 's'],
    ['latency, 99th percentile', run.p99Latency, 's'],
    ['deviation, mean Y', run.deviation, `tolerance ${short(tolerance)}`],
    ['deviation, worst server', run.worstDeviation, run.worstDeviation <= tolerance ? 'kept' : 'violated'],
    ['virtual queue, mean Z', run.meanQueue],
    ['virtual queue, at the end', run.finalQueue],
    ['KV memory-time, mean eta', run.meanEta, 'share of pool x slot'],
    ['pools above 90 %', run.highKvPercent, '% of slots and servers'],
    ["Little's law, residual", run.littleResidual, 'relative; 0: no request lost'],
  ];
  const summary = [
    ...counts.map(([name, count, note = '']) => [name, String(count), note]),
    ...measures.map(([name, x, note = '']) => [name, short(x), note]),
  ];
  const rows = run.perServer.map(({ eta, peak, deviation, iterations }, s) => {
    const { name, kvCapacityBytes } = servers[s];
    const numbers = [kvCapacityBytes / 1e9, kvCapacityBytes / kvPoolFraction / 1e9, eta, 100 * peak, deviation];
    return [name, ...numbers.map(short), String(iterations), stability.perServer?.[s] ?? '-'];
  });
  const heads = ['server', 'KV pool GB', 'of GPU GB', 'eta', 'peak KV %', 'deviation', 'iterations', 'verdict'];
  const perServer = textTable([heads, ...rows]);
  return `${textTable(summary, (c) => c === 1)}\n\n${perServer}\n\n${stability.verdict}: ${stability.reason}\n`;
}
