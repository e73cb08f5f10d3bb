import type { RunMetrics } from '../env/metrics';
import { warn } from './console';

/** The counts of a run, or sums over runs. */
type Counts = Pick<RunMetrics, 'arrived' | 'rejected' | 'lostToPrediction' | 'misassigned'>;

/**
 * Warns of requests that were not served, each cause by itself.
 *
 * @param name what the warnings begin with, "" for nothing.
 */
export function warnAboutRejected({ arrived, rejected, lostToPrediction, misassigned }: Counts, name = ''): void {
  const causes: readonly (readonly [number, string])[] = [
    [rejected - lostToPrediction - misassigned, 'are larger than the KV pools and were rejected'],
    [lostToPrediction, 'were lost to a wrong prediction: their server could not hold them, another could have'],
    [misassigned, 'were sent by the scheduler to a server that could not hold them, though another could'],
  ];
  for (const [count, cause] of causes)
    if (count > 0)
      warn(
        `${name}${String(count)} of ${String(arrived)} requests (${String(Number(((100 * count) / arrived).toPrecision(2)))} %) ${cause}; no latency counts them`,
      );
}
