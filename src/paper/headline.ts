import type { ScoreboardRow } from './scoreboard';

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

export function count(rows: readonly Pick<ScoreboardRow, 'verdict' | 'isContradicted'>[]): Count {
  const countOf = (wanted: string): number => rows.filter(({ verdict }) => verdict === wanted).length;
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

/** The number of all rows. */
export function total({ holds, doesNotHold, cannotBeTested }: Count): number {
  return holds + doesNotHold + cannotBeTested;
}

/** The headline of the claims' rows. */
export function headline(rows: readonly ScoreboardRow[]): Headline {
  const apart = ({ mark, repeats }: ScoreboardRow): string =>
    repeats.length > 0 ? 'repeats' : mark === null || mark === 'fitted' ? 'independent' : mark;
  const group = (name: string): ScoreboardRow[] => rows.filter((row) => apart(row) === name);
  const independent = group('independent');
  const decided = independent.filter(({ verdict, isContradicted }) => verdict === 'holds' || isContradicted);
  return {
    independent: count(independent),
    fittedHold: count(independent.filter(({ mark }) => mark === 'fitted')).holds,
    decided: decided.length,
    byChance: decided.reduce((sum, { chance }) => sum + chance, 0),
    ownGrid: count(group('own grid')),
    drawnOnly: count(group('drawn only')),
    repeats: count(group('repeats')),
  };
}

/** `9 of 67 independent claims hold (5 of them fitted; by chance 12 of the 49 decided would), 40 contradicted, …`. */
export function headlineText({ independent, fittedHold, decided, byChance, ...apart }: Headline): string {
  const { contradicted, doesNotHold, cannotBeTested } = independent;
  const share = (counted: Count): string => `${counted.holds} of ${total(counted)}`;
  return (
    `${share(independent)} independent claims hold (${fittedHold} of them fitted; by chance ${byChance.toFixed(0)} of the ${decided} decided would), ${contradicted} contradicted, ${doesNotHold - contradicted} not shown, ${cannotBeTested} cannot be tested; ` +
    `counted apart: ${share(apart.ownGrid)} with a grid of our choice, ${share(apart.drawnOnly)} drawn only, ${share(apart.repeats)} that repeat others hold`
  );
}
