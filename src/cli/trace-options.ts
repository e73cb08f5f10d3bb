import { z } from 'zod';
import { decimalNumber } from '../core/csv';
import { UserError, invalid } from '../core/errors';
import { integer } from '../core/schema';
import type { SystemConfig } from '../system/config';
import { MOST_SLOTS } from '../system/config-fields';
import { type Trace, lengthPairs, readTrace } from '../system/trace';
import { type TraceLoad, traceLoad, traceSlots, traceWorkload } from '../system/trace-workload';
import type { Workload } from '../system/workload';
import { warn } from './console';
import { type Flags, word } from './options';

/** Options that replace the drawn requests by those of a trace. */
export interface TraceOptions {
  readonly trace?: string;
  readonly load?: TraceLoad;
  readonly from?: number;
}

export const traceFlags: Flags = {
  trace: word(
    'file',
    'CSV of requests with own, Azure LLM inference or BurstGPT columns; without --slots the run is as long as it',
  ),
  load: z.string().transform(loadOf).optional().meta({
    title: 'how',
    description:
      'unscaled, per-user, thin:R or rescale:R, R requests per slot over the slots that are run (default: unscaled)',
  }),
  from: integer(0, MOST_SLOTS)
    .optional()
    .describe('slot of the trace as recorded with which the run begins (default: 0)'),
};

function loadOf(text: string): TraceLoad {
  if (text === 'unscaled' || text === 'per-user') return { kind: text };
  const [word, ...rest] = text.split(':');
  const kind = (['thin', 'rescale'] as const).find((known) => known === word);
  const requestsPerSlot = decimalNumber(rest.join(':'));
  if (kind !== undefined && requestsPerSlot > 0 && Number.isFinite(requestsPerSlot)) return { kind, requestsPerSlot };
  throw invalid('--load', text, 'unscaled, per-user, thin:R or rescale:R with R > 0 requests per slot');
}

export interface TraceSummary extends Pick<Trace, 'name' | 'skipped' | 'outOfOrder'> {
  readonly load: string;
  readonly from: number;
  /** In the file, but for the rows skipped. */
  readonly requests: number;
  readonly recordedPerSlot: number;
  /** Slots the trace fills under this load; null when it never ends. */
  readonly slots: number | null;
}

export interface TracedSystem {
  readonly config: SystemConfig;
  /** A trace's requests by the run's seed, which decides the requests that a load leaves out and the user of each. */
  readonly workload?: (seed: number) => Workload;
  readonly trace?: TraceSummary;
}

/** The system with the requests of the trace, if any; without a given number of slots (`hasSlots`) it has the trace's. */
export function traced(options: TraceOptions, config: SystemConfig, hasSlots: boolean): TracedSystem {
  const alone = (['load', 'from'] as const).find((name) => options[name] !== undefined);
  if (options.trace === undefined) {
    if (alone !== undefined) throw new UserError(`--${alone} is given without --trace; allowed: both, or neither`);
    if (config.lengthsFile !== undefined) warnOfRows(lengthPairs(config.lengthsFile));
    return { config };
  }
  const { from, load = { kind: 'unscaled' } } = options;
  const trace = readTrace(options.trace);
  const filled = traceSlots(trace, load, config.slotSeconds, from);
  const isEndless = !Number.isFinite(filled);
  if (!hasSlots && !isEndless && filled > MOST_SLOTS)
    throw invalid(`${options.trace}: its length`, `${filled} slots`, `at most ${MOST_SLOTS}, or --slots`);
  const slots = hasSlots || isEndless ? config.slots : filled;
  warnOfRows(trace);
  const begin = from === undefined || from === 0 ? '' : ` from slot ${from} on`;
  if (slots < filled && !isEndless) warn(`${trace.name}: the first ${slots} of its ${filled} slots${begin} are run`);
  if (slots > filled) warn(`${trace.name}: it fills ${filled} slots${begin}, the other ${slots - filled} are empty`);
  const { name, skipped, outOfOrder, arrivalSeconds } = trace;
  return {
    config: { ...config, slots },
    workload: (seed) => traceWorkload(trace, { ...config, slots, from, load, seed }),
    trace: {
      name,
      load: 'requestsPerSlot' in load ? `${load.kind}:${load.requestsPerSlot}` : load.kind,
      from: from ?? 0,
      requests: arrivalSeconds.length,
      skipped,
      outOfOrder,
      recordedPerSlot: traceLoad(trace, config.slotSeconds),
      slots: isEndless ? null : filled,
    },
  };
}

function warnOfRows({ name, skipped, outOfOrder }: Trace): void {
  for (const { reason, count } of skipped) warn(`${name}: ${count} rows skipped, ${reason}`);
  if (outOfOrder > 0) warn(`${name}: ${outOfOrder} rows were out of order and have been sorted`);
}
