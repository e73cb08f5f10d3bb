import { dataJson } from '../core/files';

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
interface Readings {
  readonly rule: readonly string[];
  readonly readings: readonly Reading[];
}

/** The open readings of the paper, from data/readings.json. */
export function readings(): Readings {
  return dataJson('readings.json') as Readings;
}

/** The readings as rows of a table. */
export function readingRows({ readings: list }: Readings = readings()): Readonly<Record<string, string>>[] {
  const decided = { text: 'the text', greedy: 'methods without learning', open: 'nothing: every option is listed' };
  return list.map(({ question, text, options, now, decidedBy, known }) => ({
    reading: question,
    'the text': text,
    options: options.join(' · '),
    'stored runs': now,
    'decided by': decided[decidedBy],
    'known already': known,
  }));
}
