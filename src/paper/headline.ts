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
  const independent = rows.filter(isIndependent);
  const decided = independent.filter((row) => verdictOf(row).verdict === 'holds' || verdictOf(row).isContradicted);
  const fitted = independent.filter(({ mark }) => mark === 'fitted');
  const apart = (wanted: ScoreboardRow['mark']): Count =>
    count(rows.filter(({ mark, repeats }) => repeats.length === 0 && mark === wanted).map(verdictOf));
  return {
    independent: count(independent.map(verdictOf)),
    fittedHold: count(fitted.map(verdictOf)).holds,
    decided: decided.length,
    byChance: decided.reduce((sum, { chance }) => sum + chance, 0),
    ownGrid: apart('own grid'),
    drawnOnly: apart('drawn only'),
    repeats: count(rows.filter(({ repeats }) => repeats.length > 0).map(verdictOf)),
  };
}

/** `9 of 67 independent claims hold (5 of them fitted; by chance 12 of the 49 decided would), 40 contradicted, …`. */
export function headlineText({ independent, fittedHold, decided, byChance, ...apart }: Headline): string {
  const { ownGrid, drawnOnly, repeats } = apart;
  const { contradicted, doesNotHold, cannotBeTested } = independent;
  const share = (counted: Count): string =>
    `${counted.holds} of ${counted.holds + counted.doesNotHold + counted.cannotBeTested}`;
  return (
    `${share(independent)} independent claims hold (${fittedHold} of them fitted; by chance ${byChance.toFixed(0)} of the ${decided} decided would), ${contradicted} contradicted, ${doesNotHold - contradicted} not shown, ${cannotBeTested} cannot be tested; ` +
    `counted apart: ${share(ownGrid)} with a grid of our choice, ${share(drawnOnly)} drawn only, ${share(repeats)} that repeat others hold`
  );
}
