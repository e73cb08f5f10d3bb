import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Claim, type ClaimKind, claimsOf } from './claims';
import type { Verdict } from './judgement';
import { type Artefact, type ProfileName, makeCell } from './matrix';
import type { Results } from './results';
import { settingClaims } from './settings';
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
    /** The notebook that shows it, from the repository's root. */
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
  const claims = [...claimsOf(results.profile), ...settingClaims()];
  const rows = claims.map((claim) => judged(claim, results));
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

function judged(claim: Claim, results: Results): ScoreboardRow {
  const { id, artefact, kind, paper, unit, tolerance, needs } = claim;
  const judgement = claim.judge(results);
  const runs = needs.flatMap((point) => results.runs(point).map(({ key }) => key));
  const wanting = needs.some((point) => results.runs(point).length < 2);
  const { name } = results.profile;
  const how =
    judgement.verdict === 'cannot be tested' && wanting && artefact !== 'settings' ? remedy(claim, results, name) : '';
  return {
    id,
    artefact,
    claim: claim.claim,
    kind,
    paper,
    unit,
    ours: judgement.ours,
    of: judgement.of,
    tolerance,
    verdict: judgement.verdict,
    isContradicted: judgement.isContradicted,
    reason: `${judgement.reason}${how}`,
    evidence: { runs, notebook: artefact === 'settings' ? null : notebookOf(artefact) },
  };
}

/** What makes the missing runs; a point that the profile does not sweep takes another profile. */
function remedy({ needs, artefact }: Claim, results: Results, profile: ProfileName): string {
  const asked = new Set(results.missing(artefact as Artefact).map((cell) => cell.name));
  const isAsked = needs.some((point) =>
    asked.has(makeCell(results.profile, { system: {}, training: {}, ...point }, 1).name),
  );
  return isAsked
    ? `: lyreo experiments ${artefact} --profile ${profile}`
    : `: the profile ${profile} has no such runs, or too few seeds of them; lyreo experiments ${artefact} --profile paper`;
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

/** Words by which a notebook's file name tells which artefact it shows. */
const notebookWords: Readonly<Record<Artefact, RegExp>> = {
  fig2: /fig(ure)?-?0?2|convergence/,
  fig3: /fig(ure)?-?0?3|distribution/,
  table2: /table-?(0?2|two|ii)|ablation/,
  fig4: /fig(ure)?-?0?4|users/,
  fig5: /fig(ure)?-?0?5|servers/,
  fig6: /fig(ure)?-?0?6|hardware|heterogen|mix/,
  fig7: /fig(ure)?-?0?7|(^|-)nu[.-]/,
  fig8: /fig(ure)?-?0?8|truncation|window/,
  rho0: /fig(ure)?-?0?2|convergence/,
  beyond: /beyond/,
  extras: /extras|baselines/,
};

/** The notebook of an artefact; null when there is none. */
export function notebookOf(artefact: Artefact): string | null {
  const folder = join(__dirname, '..', '..', 'notebooks');
  if (!existsSync(folder)) return null;
  const name = readdirSync(folder)
    .sort()
    .find((file) => /^1\d-.*\.ipynb$/.test(file) && notebookWords[artefact].test(file));
  return name === undefined ? null : `notebooks/${name}`;
}
