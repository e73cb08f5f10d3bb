/** The verdict of the stored runs on the paper in a few computed sentences, for the README and the start page. */
import { mean } from '../core/statistics';
import { total } from './headline';
import { formatNumber } from './judgement';
import { type MethodName, methods } from './methods';
import { publishedFacts } from './published';
import { Evidence } from './quantities';
import { type Results, afterConvergence, figureRuns, isOverloaded } from './results';
import { judge } from './rules';
import type { StoredRun } from './run-store';
import { type Scoreboard, scoreboard } from './scoreboard';
import { systemOf } from './sweeps';

/** The learners of the paper; the first one is ours where the text's form differs. */
const LEARNERS = ['lyreo', 'ly-ppo', 'ppo'] as const;

const nameOf = (method: MethodName): string => (method === 'lyreo' ? 'LYREO (request credit)' : methods[method].label);

/** The runs of a method in the system of Fig. 2. */
const inFig2 = (results: Results, method: MethodName): StoredRun[] =>
  results.runs({ method, system: systemOf(results.profile, 'fig2') });

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
    ruleSentence(results),
    stabilitySentence(results),
  ].filter((sentence) => sentence !== '');
}

function claimsSentence({ headline }: Scoreboard): string {
  const { independent, fittedHold, decided, byChance } = headline.requestCredit;
  const { holds, doesNotHold, contradicted, cannotBeTested } = independent;
  const open = cannotBeTested === 0 ? '' : `, and ${cannotBeTested} cannot be tested`;
  return (
    `With LYREO (request credit), our form of the method, the stored runs confirm ${holds} of the paper's ` +
    `${total(independent)} independent claims (${fittedHold} of them fitted), contradict ${contradicted} and ` +
    `leave ${doesNotHold - contradicted} undecided${open}; chance would confirm about ${byChance.toFixed(0)} of the ${decided} that are decided.`
  );
}

const latencyOf = (results: Results, method: MethodName): number =>
  mean(inFig2(results, method).map(({ evaluation }) => evaluation.meanLatency));

/** Latency and deviation of a method in Fig. 2's system on held-out episodes, "2.49 s at a deviation of 0.0069". */
function heldOut(results: Results, method: MethodName): string {
  const deviation = mean(inFig2(results, method).map(({ evaluation }) => evaluation.deviation));
  return `${latencyOf(results, method).toFixed(2)} s at a deviation of ${formatNumber(deviation)}`;
}

/** The paper's learners that have runs in Fig. 2's system. */
const shownLearners = (results: Results): MethodName[] =>
  LEARNERS.filter((method) => inFig2(results, method).length > 0);

/** Fig. 2(a) after convergence, ours and the paper's. */
function learningSentence(results: Results): string {
  const printed: Readonly<Record<string, number>> = publishedFacts().fig2_convergence.latency_s;
  const values = shownLearners(results).map((method) => {
    const ours = mean(inFig2(results, method).map(afterConvergence('latency')));
    return `${nameOf(method)} ${ours.toFixed(2)} s (paper: ${printed[methods[method].label]} s)`;
  });
  return values.length === 0 ? '' : `The learning curves of Fig. 2 end at: ${listed(values)}.`;
}

/** LYREO against its rivals on held-out episodes, in Fig. 2's system and over the loads of Fig. 4. */
function comparisonSentence(results: Results): string {
  const [first, ...rivals] = shownLearners(results);
  if (first !== 'lyreo' || rivals.length === 0) return '';
  const values = [first, ...rivals].map((method) => `${nameOf(method)} has ${heldOut(results, method)}`);
  const evidence = new Evidence(results);
  const isBelow = (rival: MethodName, users: number): boolean =>
    judge({ rule: 'order', metrics: ['latency'], groups: [[first], [rival]], at: { users } }, evidence).verdict ===
    'holds';
  const { users } = results.profile;
  const wins = rivals.map((rival) => {
    const loads = users.filter((load) => isBelow(rival, load));
    return `${nameOf(rival)}'s at ${loads.length === 0 ? 'no load' : `U = ${loads.join(', ')}`}`;
  });
  return (
    `On held-out episodes, over ${inFig2(results, first).length} seeds, ${listed(values)}; of the loads U = ${users.join(', ')} ` +
    `LYREO's latency is significantly below ${listed(wins)} (single tests, not corrected for their number).`
  );
}

function printedSentence(results: Results, { headline }: Scoreboard): string {
  if (inFig2(results, 'lyreo-printed').length === 0) return '';
  const { independent, decided } = headline.printed;
  return (
    `LYREO (printed), the nearest reading of the text, has ${heldOut(results, 'lyreo-printed')}; with the printed ` +
    `optimiser for every learner ${independent.holds} of the ${decided} claims that are decided hold.`
  );
}

/** The best rule that learns nothing. */
function ruleSentence(results: Results): string {
  const rules = (Object.keys(methods) as MethodName[])
    .filter((method) => methods[method].scheduler !== undefined && inFig2(results, method).length > 0)
    .sort((a, b) => latencyOf(results, a) - latencyOf(results, b));
  if (rules.length === 0) return '';
  return `Of ${rules.length} rules without learning ${nameOf(rules[0])} is best: ${heldOut(results, rules[0])}.`;
}

/** The learners' runs in Figs. 4 to 7 that are overloaded. */
function stabilitySentence(results: Results): string {
  const figures = (['fig4', 'fig5', 'fig6', 'fig7'] as const).flatMap((figure) => figureRuns(figure, results).series);
  const words = LEARNERS.flatMap((learner) => {
    const points = figures.filter(({ method }) => method === learner).flatMap((series) => series.points);
    const runs = [...new Set(points.flatMap((point) => point.runs))];
    const overloaded = runs.filter((run) => isOverloaded([run])).length;
    return runs.length === 0 ? [] : `${overloaded} of ${runs.length} with ${nameOf(learner)}`;
  });
  return words.length === 0 ? '' : `Of the runs in the sweeps of Figs. 4 to 7, ${listed(words)} are overloaded.`;
}
