import { type Claim, type ClaimKind, type Section, claims } from './claims';
import { NUMBER_TOLERANCE, type Verdict, WIDEST_INTERVAL, withUnit } from './judgement';
import { type Artefact, type ProfileName, makeCell } from './matrix';
import { Evidence } from './quantities';
import type { PointLike, Results } from './results';
import { judge } from './rules';
import { type Setting, settings } from './settings';
import type { Interval } from './statistics';

/** One row of the scoreboard. */
export interface ScoreboardRow {
  readonly id: string;
  readonly artefact: Artefact | 'settings';
  readonly claim: string;
  readonly kind: ClaimKind;
  readonly paper: string;
  /** Of a printed number and of ours; "" without one. */
  readonly unit: string;
  /** Our number with its 95 % interval over seeds; null where no number decides. */
  readonly ours: Interval | null;
  /** What `ours` is of. */
  readonly of: string;
  /** The rule. */
  readonly tolerance: string;
  readonly verdict: Verdict;
  /** Of a claim that does not hold: the runs exclude it. Else they only do not show it, and more seeds may. */
  readonly isContradicted: boolean;
  readonly reason: string;
  readonly evidence: {
    /** Names of the stored runs that decide it. */
    readonly runs: readonly string[];
    /** The notebook that shows it, from the repository’s root; null for a setting. */
    readonly notebook: string | null;
  };
}

/** How many claims and settings hold, do not, and cannot be tested. */
export interface ScoreboardCount {
  readonly holds: number;
  readonly doesNotHold: number;
  /** How many of those that do not hold are excluded by the runs; the others are only not shown. */
  readonly contradicted: number;
  readonly cannotBeTested: number;
}

/** All rows with their counts. */
export interface Scoreboard {
  readonly profile: ProfileName;
  readonly rows: readonly ScoreboardRow[];
  readonly claims: ScoreboardCount;
  readonly settings: ScoreboardCount;
  /** One line. */
  readonly summary: string;
}

/** Every number and claim of the paper against the stored runs of a profile. */
export function scoreboard(results: Results): Scoreboard {
  const rows = [...claims().map((claim) => claimRow(claim, results)), ...settings().map(settingRow)];
  const [ofClaims, ofSettings] = [
    count(rows.filter(({ kind }) => kind !== 'setting')),
    count(rows.filter(({ kind }) => kind === 'setting')),
  ];
  return {
    profile: results.profile.name,
    rows,
    claims: ofClaims,
    settings: ofSettings,
    summary: `claims: ${countText(ofClaims)}; settings: ${countText(ofSettings)}`,
  };
}

const numberRule = `interval of the mean meets ±${100 * NUMBER_TOLERANCE} %; one that meets it and is wider than ±${100 * WIDEST_INTERVAL} % decides nothing`;

function claimRow(claim: Claim, results: Results): ScoreboardRow {
  const { id, section, text, kind, unit = '', printed = '', decides = numberRule } = claim;
  const evidence = new Evidence(results);
  const { verdict, isContradicted, ours, of, reason } = judge(claim, evidence, unit);
  const runs = evidence.points.map((point) => results.runs(point));
  const wanting = verdict === 'cannot be tested' && runs.some((list) => list.length < 2);
  return {
    id,
    artefact: section,
    claim: text,
    kind,
    paper: claim.rule === 'number' ? withUnit(String(claim.value), unit) : printed,
    unit,
    ours,
    of,
    tolerance: decides,
    verdict,
    isContradicted,
    reason: wanting ? `${reason}${remedy(section, evidence.points, results)}` : reason,
    evidence: { runs: [...new Set(runs.flat().map(({ key }) => key))], notebook: notebookOf[section] },
  };
}

function settingRow({ name, isInferred, printed, ours, isSame, why }: Setting): ScoreboardRow {
  return {
    id: `settings.${name}`,
    artefact: 'settings',
    claim: `${name}${isInferred ? ' (not printed, it follows from the text)' : ''}`,
    kind: 'setting',
    paper: printed,
    unit: '',
    ours: null,
    of: '',
    tolerance: 'equal',
    verdict: isSame ? 'holds' : 'does not hold',
    isContradicted: !isSame,
    reason: `ours is ${ours}${isSame || why === undefined ? '' : `: ${why}`}`,
    evidence: { runs: [], notebook: null },
  };
}

/** The command that makes the missing runs; a point that the profile does not sweep takes another profile. */
function remedy(section: Section, points: readonly PointLike[], results: Results): string {
  const { name } = results.profile;
  const asked = new Set(results.missing(section).map((cell) => cell.name));
  const isAsked = points.some((point) =>
    asked.has(makeCell(results.profile, { system: {}, training: {}, ...point }, 1).name),
  );
  return isAsked
    ? `: lyreo experiments ${section} --profile ${name}`
    : `: the profile ${name} has no such runs, or too few seeds of them; lyreo experiments ${section} --profile paper`;
}

/** Counts some rows. */
export function count(rows: readonly ScoreboardRow[]): ScoreboardCount {
  const of = (verdict: Verdict): number => rows.filter((row) => row.verdict === verdict).length;
  return {
    holds: of('holds'),
    doesNotHold: of('does not hold'),
    contradicted: rows.filter(({ isContradicted }) => isContradicted).length,
    cannotBeTested: of('cannot be tested'),
  };
}

/** "18 hold, 61 do not (40 contradicted, 21 not shown), 2 cannot be tested". */
export function countText({ holds, doesNotHold, contradicted, cannotBeTested }: ScoreboardCount): string {
  const split = doesNotHold === 0 ? '' : ` (${contradicted} contradicted, ${doesNotHold - contradicted} not shown)`;
  return `${holds} hold, ${doesNotHold} do not${split}, ${cannotBeTested} cannot be tested`;
}

/** The notebook that shows an artefact, from the repository's root. */
export const notebookOf: Readonly<Record<Artefact, string>> = {
  fig2: 'notebooks/10-fig2-convergence.ipynb',
  fig3: 'notebooks/11-fig3-distributions.ipynb',
  table2: 'notebooks/12-table2-ablation.ipynb',
  fig4: 'notebooks/13-fig4-users.ipynb',
  fig5: 'notebooks/14-fig5-servers.ipynb',
  fig6: 'notebooks/15-fig6-heterogeneity.ipynb',
  fig7: 'notebooks/16-fig7-nu.ipynb',
  fig8: 'notebooks/17-fig8-truncation.ipynb',
  rho0: 'notebooks/10-fig2-convergence.ipynb',
  beyond: 'notebooks/20-beyond-the-paper.ipynb',
  extras: 'notebooks/10-fig2-convergence.ipynb',
};
