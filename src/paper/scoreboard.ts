import { type Cause, type Claim, type ClaimKind, type Mark, claimsFile } from './claims';
import {
  type Judgement,
  NUMBER_TOLERANCE,
  SEEDS_FOR_SIGNS,
  type Verdict,
  WIDEST_INTERVAL,
  withUnit,
} from './judgement';
import type { ProfileName } from './profiles';
import { Evidence, printedPanel } from './quantities';
import type { Results } from './results';
import { chanceOf, judge } from './rules';
import { runSpec } from './run-spec';
import { settingRows } from './settings';
import { type FigureId, type Point, type Section, systemOf } from './sweeps';

/** One row of the scoreboard; the judgement is that of LYREO (request credit). */
export interface ScoreboardRow extends Judgement {
  readonly id: string;
  readonly figureId: FigureId | 'settings';
  readonly claim: string;
  readonly kind: ClaimKind;
  readonly paper: string;
  /** The unit of the printed number and of ours; "" without one. */
  readonly unit: string;
  readonly tolerance: string;
  /** The same claim for LYREO (printed), Ly-PPO and PPO under the printed optimiser; null for a setting. */
  readonly lyreoPrinted: Judgement | null;
  /** The reason for which the claim is counted apart, or "fitted" if the calibration was fitted to it. */
  readonly mark: Mark | null;
  readonly repeats: readonly string[];
  /** The probability that it holds by chance: `chanceOf`. */
  readonly chance: number;
  /** The cause of its contradiction, with the notebook cell that shows it. */
  readonly cause: Cause | null;
  /** Names of the stored runs that decide it, and the notebook that shows it; null for a setting. */
  readonly evidence: { readonly runs: readonly string[]; readonly notebook: string | null };
}

export type Count = Readonly<Record<'holds' | 'contradicted' | 'notShown' | 'cannotBeTested', number>>;

/**
 * The claims, counted by their grounds. The independent ones repeat no other, are not only drawn and do not depend on
 * a grid of ours; the fitted ones are in it.
 */
export interface Headline extends Readonly<Record<'independent' | 'ownGrid' | 'drawnOnly' | 'repeats', Count>> {
  /** Independent claims that hold and whose numbers the calibration was fitted to. */
  readonly fittedHold: number;
  /** Independent claims that hold or are contradicted. */
  readonly decided: number;
  /** The number of decided claims that would hold by chance: the sum of `chanceOf`, a model and not a measurement. */
  readonly byChance: number;
}

export interface Scoreboard {
  readonly profile: ProfileName;
  readonly rows: readonly ScoreboardRow[];
  readonly claims: Count;
  readonly settings: Count;
  readonly headline: { readonly requestCredit: Headline; readonly printed: Headline };
  /** One line for each of the two LYREO, and one for all claims and the settings. */
  readonly summary: string;
}

/** Every number and claim of the paper against the stored runs of a profile. */
export function scoreboard(results: Results): Scoreboard {
  const rows = claimsFile().claims.map((claim) => claimRow(claim, results));
  const ofSettings = settingRows();
  const [claims, settings] = [count(rows), count(ofSettings)];
  const requestCredit = headline(rows);
  const printed = headline(rows.map((row) => ({ ...row, ...row.lyreoPrinted })));
  const summary = [
    `LYREO (request credit): ${headlineText(requestCredit)}`,
    `LYREO (printed): ${headlineText(printed)}`,
    `all claims: ${countText(claims)}; settings: ${countText(settings)}`,
  ].join('\n');
  const profile = results.profile.name;
  return { profile, rows: [...rows, ...ofSettings], claims, settings, headline: { requestCredit, printed }, summary };
}

export function count(rows: readonly Pick<Judgement, 'verdict'>[]): Count {
  const of = (wanted: Verdict): number => rows.filter(({ verdict }) => verdict === wanted).length;
  return {
    holds: of('holds'),
    contradicted: of('contradicted'),
    notShown: of('not shown'),
    cannotBeTested: of('cannot be tested'),
  };
}

export function total(counted: Count): number {
  return Object.values(counted).reduce((sum, n) => sum + n, 0);
}

/** `18 hold, 61 do not (40 contradicted, 21 not shown), 2 cannot be tested`. */
export function countText({ holds, contradicted, notShown, cannotBeTested }: Count): string {
  const fail = contradicted + notShown;
  const split = fail === 0 ? '' : ` (${contradicted} contradicted, ${notShown} not shown)`;
  return `${holds} hold, ${fail} do not${split}, ${cannotBeTested} cannot be tested`;
}

function headline(rows: readonly ScoreboardRow[]): Headline {
  const apart = ({ mark, repeats }: ScoreboardRow): string =>
    repeats.length > 0 ? 'repeats' : mark === null || mark === 'fitted' ? 'independent' : mark;
  const group = (name: string): ScoreboardRow[] => rows.filter((row) => apart(row) === name);
  const independent = group('independent');
  const decided = independent.filter(({ verdict }) => verdict === 'holds' || verdict === 'contradicted');
  return {
    independent: count(independent),
    fittedHold: independent.filter(({ mark, verdict }) => mark === 'fitted' && verdict === 'holds').length,
    decided: decided.length,
    byChance: decided.reduce((sum, { chance }) => sum + chance, 0),
    ownGrid: count(group('own grid')),
    drawnOnly: count(group('drawn only')),
    repeats: count(group('repeats')),
  };
}

/** `9 of 67 independent claims hold (5 of them fitted; by chance 12 of the 49 decided would), 40 contradicted, …`. */
export function headlineText({ independent, fittedHold, decided, byChance, ...apart }: Headline): string {
  const { contradicted, notShown, cannotBeTested } = independent;
  const share = (counted: Count): string => `${counted.holds} of ${total(counted)}`;
  return (
    `${share(independent)} independent claims hold (${fittedHold} of them fitted; by chance ${byChance.toFixed(0)} of the ${decided} decided would), ${contradicted} contradicted, ${notShown} not shown, ${cannotBeTested} cannot be tested; ` +
    `counted apart: ${share(apart.ownGrid)} with a grid of our choice, ${share(apart.drawnOnly)} drawn only, ${share(apart.repeats)} that repeat others hold`
  );
}

const sides = `in ${SEEDS_FOR_SIGNS} of ${SEEDS_FOR_SIGNS} seeds (fewer seeds: 95 % interval)`;
const ruleTexts: Readonly<Record<Claim['rule'], string>> = {
  number: `mean within ±${100 * NUMBER_TOLERANCE} %, a percentage within the range of two such numbers and of significant sign; interval at most ${WIDEST_INTERVAL} times as wide`,
  order: `each pair in this order ${sides}`,
  difference: `less ${sides}`,
  bound: `beyond the limit ${sides}`,
  trend: `last beyond first ${sides}, and no step between neighbours the other way`,
  seeds: '',
  all: `each part ${sides}`,
};

function claimRow(claim: Claim, results: Results): ScoreboardRow {
  const { id, section, text, kind, unit = '', printed = '', decides = '', mark = null, repeats = [], cause } = claim;
  const system = systemOf(results.profile, section);
  const evidence = new Evidence(results, system);
  const judgement = judge(claim, evidence, unit);
  const runs = evidence.points.map((point) => results.runs(point));
  const isWanting = judgement.verdict === 'cannot be tested' && runs.some((list) => list.length < 2);
  return {
    id,
    figureId: section,
    claim: text,
    kind,
    paper: claim.rule === 'number' ? withUnit(String(claim.value), unit) : printed,
    unit,
    tolerance: [decides, ruleTexts[claim.rule]].filter((words) => words !== '').join(': '),
    ...judgement,
    reason: `${judgement.reason}${isWanting ? remedy(section, evidence.points, results) : ''}`,
    lyreoPrinted: judge(claim, new Evidence(results, system, printedPanel), unit),
    mark,
    repeats,
    chance: chanceOf(claim),
    cause: (judgement.verdict === 'contradicted' && claimsFile().causes.find((other) => other.id === cause)) || null,
    evidence: { runs: [...new Set(runs.flat().map(({ key }) => key))], notebook: notebookOf[section] },
  };
}

/** The command that makes the missing runs; a point that the profile does not sweep takes another profile. */
function remedy(section: Section, points: readonly Point[], results: Results): string {
  const { profile } = results;
  const asked = new Set(results.missing(section).map(({ name }) => name));
  return points.some((point) => asked.has(runSpec(profile, point).name))
    ? `: lyreo experiments ${section} --profile ${profile.name}`
    : `: the profile ${profile.name} has no such runs, or too few seeds of them; lyreo experiments ${section} --profile paper`;
}

/** The notebook that shows a figure of the paper, from the repository's root. */
export const notebookOf: Readonly<Record<Section, string>> = {
  fig2: 'notebooks/10-fig2-convergence.ipynb',
  fig3: 'notebooks/11-fig3-distributions.ipynb',
  table2: 'notebooks/12-table2-ablation.ipynb',
  fig4: 'notebooks/13-fig4-users.ipynb',
  fig5: 'notebooks/14-fig5-servers.ipynb',
  fig6: 'notebooks/15-fig6-heterogeneity.ipynb',
  fig7: 'notebooks/16-fig7-nu.ipynb',
  fig8: 'notebooks/17-fig8-truncation.ipynb',
};
