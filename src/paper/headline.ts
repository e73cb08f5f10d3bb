import type { Verdict } from './judgement';
import type { ScoreboardRow } from './scoreboard';

export type Counted = Pick<ScoreboardRow, 'verdict' | 'isContradicted'>;

/** Numbers of rows that hold, do not hold, and cannot be tested. */
export interface Count {
  readonly holds: number;
  readonly doesNotHold: number;
  /** Rows that do not hold and that the runs exclude; the others of `doesNotHold` are only not shown. */
  readonly contradicted: number;
  readonly cannotBeTested: number;
}

/** The claims, counted by what they rest on. */
export interface Headline {
  /** Claims that repeat no other, were not only drawn and do not depend on a grid of ours; the fitted ones are in it. */
  readonly independent: Count;
  /** Independent claims that hold and whose numbers the calibration was fitted to. */
  readonly fittedHold: number;
  /** The number of independent claims that are decided: they hold or are contradicted. */
  readonly decided: number;
  /** The number of decided claims that would hold by chance: the sum of `chanceOf`, a model and not a measurement. */
  readonly byChance: number;
  /** Claims about a sweep whose points are our choice. */
  readonly ownGrid: Count;
  /** Claims that only say what a figure draws. */
  readonly drawnOnly: Count;
  /** Claims that follow from others, which are counted. */
  readonly repeats: Count;
}

export function count(rows: readonly Counted[]): Count {
  const countOf = (verdict: Verdict): number => rows.filter((row) => row.verdict === verdict).length;
  return {
    holds: countOf('holds'),
    doesNotHold: countOf('does not hold'),
    contradicted: rows.filter(({ isContradicted }) => isContradicted).length,
    cannotBeTested: countOf('cannot be tested'),
  };
}

/** `18 hold, 61 do not (40 contradicted, 21 not shown), 2 cannot be tested`. */
export function countText({ holds, doesNotHold, contradicted, cannotBeTested }: Count): string {
  const split = doesNotHold === 0 ? '' : ` (${contradicted} contradicted, ${doesNotHold - contradicted} not shown)`;
  return `${holds} hold, ${doesNotHold} do not${split}, ${cannotBeTested} cannot be tested`;
}

/** Whether a claim is counted in the headline. */
export function isIndependent({ mark, repeats }: Pick<ScoreboardRow, 'mark' | 'repeats'>): boolean {
  return repeats.length === 0 && mark !== 'own grid' && mark !== 'drawn only';
}

/**
 * The headline of a scoreboard.
 *
 * @param rows without the settings.
 * @param verdictOf the judgement of a row to count: on LYREO (request credit) or on LYREO (printed).
 */
export function headline(
  rows: readonly ScoreboardRow[],
  verdictOf: (row: ScoreboardRow) => Counted = (row) => row,
): Headline {
  const some = (is: (row: ScoreboardRow) => boolean): Count => count(rows.filter(is).map(verdictOf));
  const independent = rows.filter(isIndependent);
  const decided = independent.filter((row) => verdictOf(row).verdict === 'holds' || verdictOf(row).isContradicted);
  const isCountedApart = (mark: ScoreboardRow['mark']) => (row: ScoreboardRow) =>
    row.repeats.length === 0 && row.mark === mark;
  return {
    independent: some(isIndependent),
    fittedHold: independent.filter((row) => row.mark === 'fitted' && verdictOf(row).verdict === 'holds').length,
    decided: decided.length,
    byChance: decided.reduce((sum, { chance }) => sum + chance, 0),
    ownGrid: some(isCountedApart('own grid')),
    drawnOnly: some(isCountedApart('drawn only')),
    repeats: some(({ repeats }) => repeats.length > 0),
  };
}

/** `9 of 67 independent claims hold (5 of them fitted; by chance 12 of the 49 decided would), 40 contradicted, …`. */
export function headlineText({ independent, fittedHold, decided, byChance, ...apart }: Headline): string {
  const { ownGrid, drawnOnly, repeats } = apart;
  const { holds, doesNotHold, contradicted, cannotBeTested } = independent;
  const total = ({ holds: h, doesNotHold: d, cannotBeTested: c }: Count): number => h + d + c;
  return [
    `${holds} of ${total(independent)} independent claims hold (${fittedHold} of them fitted; by chance ${byChance.toFixed(0)} of the ${decided} decided would), ${contradicted} contradicted, ${doesNotHold - contradicted} not shown, ${cannotBeTested} cannot be tested`,
    `counted apart: ${ownGrid.holds} of ${total(ownGrid)} with a grid of our choice, ${drawnOnly.holds} of ${total(drawnOnly)} drawn only, ${repeats.holds} of ${total(repeats)} that repeat others hold`,
  ].join('; ');
}
