/** The verdict of the stored runs on the paper in a few computed sentences, for the README and the start page. */
import type { SystemConfig } from '../system/config';
import { formatNumber, isLess } from './judgement';
import { type MethodName, methodOf, methods } from './methods';
import { publishedFacts } from './published';
import { steady } from './quantities';
import { type PointLike, type Results, afterConvergence, deviation, isOverloaded, latency } from './results';
import { type Scoreboard, scoreboard } from './scoreboard';
import { mean } from './statistics';
import { sweeps, systemOf } from './sweeps';

/** The learners of the paper; the first one is ours where the text's form differs. */
const LEARNERS = ['lyreo', 'ly-ppo', 'ppo'] as const;

const nameOf = (method: MethodName): string => (method === 'lyreo' ? 'LYREO (request credit)' : methodOf(method).label);

/** A method in the system of Fig. 2. */
const inFig2 = ({ profile }: Results, method: MethodName): PointLike => ({ method, system: systemOf(profile, 'fig2') });

/** `a, b and c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

/**
 * The verdict, the most important sentence first: the count of claims, Fig. 2's learners, LYREO against them, the printed
 * form, the best rule, stability. A sentence without its runs is left out.
 */
export function verdictSentences(results: Results, board: Scoreboard = scoreboard(results)): string[] {
  return [
    claimsSentence(board),
    learningSentence(results),
    comparisonSentence(results),
    printedSentence(results, board),
  ]
    .concat(ruleSentence(results), stabilitySentence(results))
    .filter((sentence) => sentence !== '');
}

function claimsSentence({ headline }: Scoreboard): string {
  const { independent, fittedHold, decided, byChance } = headline.requestCredit;
  const { holds, doesNotHold, contradicted, cannotBeTested } = independent;
  const open = cannotBeTested === 0 ? '' : `, and ${cannotBeTested} cannot be tested`;
  return (
    `With LYREO (request credit), our form of the method, the stored runs confirm ${holds} of the paper's ` +
    `${holds + doesNotHold + cannotBeTested} independent claims (${fittedHold} of them fitted), contradict ${contradicted} and ` +
    `leave ${doesNotHold - contradicted} undecided${open}; chance would confirm about ${byChance.toFixed(0)} of the ${decided} that are decided.`
  );
}

/** Latency and deviation of a method in Fig. 2's system on held-out episodes, "2.49 s at a deviation of 0.0069". */
function heldOut(results: Results, method: MethodName): string {
  const runs = results.runs(inFig2(results, method));
  return `${mean(runs.map(latency)).toFixed(2)} s at a deviation of ${formatNumber(mean(runs.map(deviation)))}`;
}

/** The paper's learners that have runs in Fig. 2's system. */
const shownLearners = (results: Results): MethodName[] =>
  LEARNERS.filter((method) => results.runs(inFig2(results, method)).length > 0);

/** Fig. 2(a) after convergence, ours and the paper's. */
function learningSentence(results: Results): string {
  const stated = publishedFacts().fig2_convergence.latency_s;
  const values = shownLearners(results).map((method) => {
    const ours = mean(results.runs(inFig2(results, method)).map(afterConvergence('latency')));
    return `${nameOf(method)} ${ours.toFixed(2)} s (paper: ${stated[methodOf(method).label as keyof typeof stated]} s)`;
  });
  return values.length === 0 ? '' : `The learning curves of Fig. 2 end at: ${listed(values)}.`;
}

/** LYREO against its rivals on held-out episodes, in Fig. 2's system and over the loads of Fig. 4. */
function comparisonSentence(results: Results): string {
  const [first, ...rivals] = shownLearners(results);
  if (first !== 'lyreo' || rivals.length === 0) return '';
  const values = [first, ...rivals].map((method) => `${nameOf(method)} has ${heldOut(results, method)}`);
  const wins = rivals.map((rival) => {
    const loads = results.profile.users.filter((users) => isBelow(results, rival, { users }));
    return `${nameOf(rival)}'s at ${loads.length === 0 ? 'no load' : `U = ${loads.join(', ')}`}`;
  });
  const seeds = results.runs(inFig2(results, first)).length;
  return (
    `On held-out episodes, over ${seeds} seeds, ${listed(values)}; of the loads U = ${results.profile.users.join(', ')} ` +
    `LYREO's latency is significantly below ${listed(wins)} (single tests, not corrected for their number).`
  );
}

/** Whether LYREO's latency is significantly below a rival's, over the seeds that both have. */
function isBelow(results: Results, rival: MethodName, system: Partial<SystemConfig>): boolean {
  const [left, right] = (['lyreo', rival] as const).map((method) => ({
    name: method,
    values: results.values({ method, system }, steady(latency)),
  }));
  return isLess(left, right).verdict === 'holds';
}

function printedSentence(results: Results, { headline }: Scoreboard): string {
  if (results.runs(inFig2(results, 'lyreo-printed')).length === 0) return '';
  const { independent, decided } = headline.printed;
  return (
    `LYREO (printed), the nearest reading of the text, has ${heldOut(results, 'lyreo-printed')}; with the printed ` +
    `optimiser for every learner ${independent.holds} of the ${decided} claims that are decided hold.`
  );
}

/** The best rule that learns nothing. */
function ruleSentence(results: Results): string {
  const latencyOf = (method: MethodName): number => mean(results.runs(inFig2(results, method)).map(latency));
  const rules = (Object.keys(methods) as MethodName[])
    .filter((method) => methodOf(method).scheduler !== undefined && results.runs(inFig2(results, method)).length > 0)
    .sort((a, b) => latencyOf(a) - latencyOf(b));
  if (rules.length === 0) return '';
  return `Of ${rules.length} rules without learning ${nameOf(rules[0])} is best: ${heldOut(results, rules[0])}.`;
}

/** The learners' runs in Figs. 4 to 7 that are overloaded. */
function stabilitySentence(results: Results): string {
  const swept = sweeps(results.profile).filter(({ figureId }) => /^fig[4-7]$/.test(figureId));
  const counts = LEARNERS.map((method) => {
    const runs = swept
      .filter(({ methods }) => methods.includes(method))
      .flatMap(({ values }) =>
        values.flatMap(({ system, training, appliedTo }) => results.runs({ method, system, training, appliedTo })),
      );
    const distinct = [...new Map(runs.map((run) => [run.key, run])).values()];
    return { method, all: distinct.length, overloaded: distinct.filter((run) => isOverloaded([run])).length };
  }).filter(({ all }) => all > 0);
  const words = counts.map(({ method, all, overloaded }) => `${overloaded} of ${all} with ${nameOf(method)}`);
  return words.length === 0 ? '' : `Of the runs in the sweeps of Figs. 4 to 7, ${listed(words)} are overloaded.`;
}
