import { type Cause, type Claim, type ClaimKind, type Mark, type Section, claimsFile } from './claims';
import { type Count, type Headline, count, countText, headline, headlineText } from './headline';
import { type Judgement, NUMBER_TOLERANCE, SEEDS_FOR_SIGNS, WIDEST_INTERVAL, withUnit } from './judgement';
import type { MethodName } from './methods';
import type { ProfileName } from './profiles';
import { type FigureId, systemOf } from './sweeps';
import { Evidence, printedPanel } from './quantities';
import { type PointLike, type Results, pointSpec } from './results';
import { chanceOf, judge } from './rules';
import { settingRows } from './settings';

/** One row of the scoreboard; the judgement is that of LYREO (request credit). */
export interface ScoreboardRow extends Judgement {
  readonly id: string;
  readonly figureId: FigureId | 'settings';
  readonly claim: string;
  readonly kind: ClaimKind;
  readonly paper: string;
  /** The unit of the printed number and of ours; "" without one. */
  readonly unit: string;
  /** The rule in words. */
  readonly tolerance: string;
  /** The same claim for LYREO (printed), Ly-PPO and PPO under the printed optimiser; null for a setting. */
  readonly lyreoPrinted: Judgement | null;
  /** The reason for which the claim is counted apart, or "fitted" if the calibration was fitted to it. */
  readonly mark: Mark | null;
  /** Ids of the claims from which this one follows. */
  readonly repeats: readonly string[];
  /** The probability that it holds by chance: `chanceOf`. */
  readonly chance: number;
  /** The cause of its contradiction, with the notebook cell that shows it. */
  readonly cause: Cause | null;
  readonly evidence: {
    /** Names of the stored runs that decide it. */
    readonly runs: readonly string[];
    /** The notebook that shows it, from the repository’s root; null for a setting. */
    readonly notebook: string | null;
  };
}

/** All rows with their counts. */
export interface Scoreboard {
  readonly profile: ProfileName;
  readonly rows: readonly ScoreboardRow[];
  /** All claims, whatever they rest on. */
  readonly claims: Count;
  readonly settings: Count;
  /** The claims counted by what they rest on, for each of the two LYREO. */
  readonly headline: { readonly requestCredit: Headline; readonly printed: Headline };
  /** One line for each of the two LYREO, and one for all claims and the settings. */
  readonly summary: string;
}

/** Every number and claim of the paper against the stored runs of a profile. */
export function scoreboard(results: Results): Scoreboard {
  const rows = claimsFile().claims.map((claim) => claimRow(claim, results));
  const ofSettings = settingRows();
  const both = {
    requestCredit: headline(rows),
    printed: headline(rows.map((row) => ({ ...row, ...row.lyreoPrinted }))),
  };
  const counts = { claims: count(rows), settings: count(ofSettings) };
  return {
    profile: results.profile.name,
    rows: [...rows, ...ofSettings],
    ...counts,
    headline: both,
    summary: [
      `LYREO (request credit): ${headlineText(both.requestCredit)}`,
      `LYREO (printed): ${headlineText(both.printed)}`,
      `all claims: ${countText(counts.claims)}; settings: ${countText(counts.settings)}`,
    ].join('\n'),
  };
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
  const usual = (method: MethodName): PointLike => ({ method, system });
  const evidence = new Evidence(results, usual);
  const judgement = judge(claim, evidence, unit);
  const { verdict, isContradicted, reason } = judgement;
  const runs = evidence.points.map((point) => results.runs(point));
  const isWanting = verdict === 'cannot be tested' && runs.some((list) => list.length < 2);
  return {
    id,
    figureId: section,
    claim: text,
    kind,
    paper: claim.rule === 'number' ? withUnit(String(claim.value), unit) : printed,
    unit,
    ours: judgement.ours,
    of: judgement.of,
    tolerance: [decides, ruleTexts[claim.rule]].filter((words) => words !== '').join(': '),
    verdict,
    isContradicted,
    reason: isWanting ? `${reason}${remedy(section, evidence.points, results)}` : reason,
    lyreoPrinted: judge(claim, new Evidence(results, usual, printedPanel), unit),
    mark,
    repeats,
    chance: chanceOf(claim),
    cause: (isContradicted && claimsFile().causes.find((other) => other.id === cause)) || null,
    evidence: { runs: [...new Set(runs.flat().map(({ key }) => key))], notebook: notebookOf[section] },
  };
}

/** The command that makes the missing runs; a point that the profile does not sweep takes another profile. */
function remedy(section: Section, points: readonly PointLike[], results: Results): string {
  const { profile } = results;
  const asked = new Set(results.missing(section).map(({ name }) => name));
  return points.some((point) => asked.has(pointSpec(profile, point).name))
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
