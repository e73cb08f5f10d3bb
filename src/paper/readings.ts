import { z } from 'zod';
import { invalid } from '../core/errors';
import { dataFile, readTextFile } from '../core/files';
import { parseJson, parseWith } from '../core/parse';

/** A question that the paper's text leaves to its reader: a row of data/readings.json. */
export interface Reading {
  readonly id: string;
  readonly question: string;
  /** The words of the paper, or that it has none. */
  readonly text: string;
  readonly options: readonly string[];
  /** The option of the stored runs, or other words where they follow none. */
  readonly now: string;
  /** The step of the rule that decides; an open reading is reported with every option. */
  readonly decidedBy: 'text' | 'greedy' | 'open';
  /** The results that are known already, of learners too; they must not decide. */
  readonly known: string;
}

/** The readings with the rule by which one is chosen. */
export interface Readings {
  readonly rule: readonly string[];
  readonly readings: readonly Reading[];
}

const schema: z.ZodType<Readings> = z.strictObject({
  rule: z.array(z.string('a sentence'), 'a list of sentences').min(1, 'at least one sentence'),
  readings: z.array(
    z.strictObject({
      id: z.string('text'),
      question: z.string('text'),
      text: z.string('text'),
      options: z.array(z.string('text'), 'a list of options').min(2, 'at least two options'),
      now: z.string('text'),
      decidedBy: z.enum(['text', 'greedy', 'open'], 'text, greedy, open'),
      known: z.string('text'),
    }),
    'a list of readings',
  ),
});

/**
 * Checks the text of a list of readings.
 *
 * @throws UserError with file, field, value and what is allowed.
 */
export function parseReadings(text: string, file: string): Readings {
  const parsed = parseWith(schema, parseJson(text, file), file);
  const ids = parsed.readings.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw invalid(`${file}: id`, twice, 'each id once');
  return parsed;
}

/** The open readings of the paper, from data/readings.json. */
export function readings(): Readings {
  const file = dataFile('readings.json');
  return parseReadings(readTextFile(file), file);
}

/** The readings as rows of a table. */
export function readingRows({ readings: list }: Readings = readings()): Readonly<Record<string, string>>[] {
  const decided = { text: 'the text', greedy: 'methods without learning', open: 'nothing: every option is reported' };
  return list.map(({ question, text, options, now, decidedBy, known }) => ({
    reading: question,
    'the text': text,
    options: options.join(' · '),
    'stored runs': now,
    'decided by': decided[decidedBy],
    'known already': known,
  }));
}
