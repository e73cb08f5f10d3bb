/** The verdict of the stored runs on the paper in a few computed sentences, for the README and the start page. */
import { mean } from '../core/statistics';
import { formatNumber } from './judgement';
import { type MethodName, learners, methods } from './methods';
import { publishedFacts } from './published';
import { Evidence, afterConvergence } from './quantities';
import { type Results, type RunMetric, figureRuns, isOverloaded } from './results';
import { judge } from './rules';
import type { StoredRun } from './run-store';
import { type Scoreboard, scoreboard, total } from './scoreboard';
import { systemOf } from './sweeps';

const nameOf = (method: MethodName): string => (method === 'lyreo' ? 'LYREO (request credit)' : methods[method].label);

const latency: RunMetric = ({ evaluation }) => evaluation.meanLatency;
const deviation: RunMetric = ({ evaluation }) => evaluation.deviation;

/** The runs of a method in the system of Fig. 2. */
const inFig2 = (results: Results, method: MethodName): StoredRun[] =>
  results.runs({ method, system: systemOf(results.profile, 'fig2') });

const meanOf = (results: Results, method: MethodName, metric: RunMetric): number =>
  mean(inFig2(results, method).map(metric));

/** Latency and deviation in Fig. 2's system on held-out episodes, "2.49 s at a deviation of 0.0069". */
const heldOut = (results: Results, method: MethodName): string =>
  `${meanOf(results, method, latency).toFixed(2)} s at a deviation of ${formatNumber(meanOf(results, method, deviation))}`;

/** `a, b and c`. */
const listed = (words: readonly string[]): string => new Intl.ListFormat('en-GB').format(words);

/**
 * The verdict, the most important sentence first: the count of claims, Fig. 2's learners, LYREO against them, the printed
 * form, the best rule, stability. A sentence without its runs is left out.
 */
export function verdictSentences(results: Results, board: Scoreboard = scoreboard(results)): string[] {
  const shown = learners.filter((method) => inFig2(results, method).length > 0);
  return [
    claimsSentence(board),
    shown.length > 0 && learningSentence(results, shown),
    shown[0] === 'lyreo' && shown.length > 1 && comparisonSentence(results, shown),
    inFig2(results, 'lyreo-printed').length > 0 && printedSentence(results, board),
    ruleSentence(results),
    stabilitySentence(results),
  ].filter((sentence) => sentence !== false);
}

function claimsSentence({ headline }: Scoreboard): string {
  const { independent, fittedHold, decided, byChance } = headline.requestCredit;
  const { holds, contradicted, notShown, cannotBeTested } = independent;
  const open = cannotBeTested === 0 ? '' : `, and ${cannotBeTested} cannot be tested`;
  return (
    `With LYREO (request credit), our form of the method, ${holds} of the paper's ${total(independent)} independent claims ` +
    `hold in the stored runs, ${contradicted} are contradicted and ${notShown} are not shown${open}. Our constants were ` +
    `fitted to ${fittedHold} of those that hold; chance would confirm about ${byChance.toFixed(0)} of the ${decided} that are decided.`
  );
}

function learningSentence(results: Results, shown: readonly MethodName[]): string {
  const printed: Readonly<Record<string, number>> = publishedFacts().fig2_convergence.latency_s;
  const values = shown.map((method) => {
    const ours = meanOf(results, method, afterConvergence('latency')).toFixed(2);
    return `${nameOf(method)} ${ours} s (paper: ${printed[methods[method].label]} s)`;
  });
  return `The learning curves of Fig. 2 end at: ${listed(values)}.`;
}

/** The first learner against the others on held-out episodes, in Fig. 2's system and over the loads of Fig. 4. */
function comparisonSentence(results: Results, [first, ...rivals]: readonly MethodName[]): string {
  const values = [first, ...rivals].map((method) => `${nameOf(method)} has ${heldOut(results, method)}`);
  const evidence = new Evidence(results);
  const { users } = results.profile;
  const wins = rivals.map((rival) => {
    const below = { rule: 'order', metrics: ['latency'], groups: [[first], [rival]] } as const;
    const loads = users.filter((load) => judge({ ...below, at: { users: load } }, evidence).verdict === 'holds');
    return `${nameOf(rival)}'s at ${loads.length === 0 ? 'no load' : `U = ${loads.join(', ')}`}`;
  });
  return (
    `On held-out episodes, over ${inFig2(results, first).length} seeds, ${listed(values)}; of the loads U = ${users.join(', ')} ` +
    `LYREO's latency is significantly below ${listed(wins)}; each is a test by itself, without a correction for their number.`
  );
}

function printedSentence(results: Results, { headline }: Scoreboard): string {
  const { independent, decided } = headline.printed;
  return (
    `LYREO (printed), the nearest reading of the text, has ${heldOut(results, 'lyreo-printed')}. With it, and ` +
    `with the printed optimiser for every learner, ${independent.holds} of the ${decided} decided claims hold.`
  );
}

function ruleSentence(results: Results): string | false {
  const rules = (Object.keys(methods) as MethodName[])
    .filter((method) => methods[method].scheduler !== undefined && inFig2(results, method).length > 0)
    .sort((a, b) => meanOf(results, a, latency) - meanOf(results, b, latency));
  return (
    rules.length > 0 &&
    `Of ${rules.length} rules without learning ${nameOf(rules[0])} is best: ${heldOut(results, rules[0])}.`
  );
}

/** The learners' runs in Figs. 4 to 7 that are overloaded. */
function stabilitySentence(results: Results): string | false {
  const series = (['fig4', 'fig5', 'fig6', 'fig7'] as const).flatMap((figure) => figureRuns(figure, results).series);
  const words = learners.flatMap((learner) => {
    const points = series.filter(({ method }) => method === learner).flatMap((one) => one.points);
    const runs = [...new Set(points.flatMap((point) => point.runs))];
    return runs.length === 0 ? [] : [`${runs.filter(isOverloaded).length} of ${runs.length} with ${nameOf(learner)}`];
  });
  return words.length > 0 && `Of the runs in the sweeps of Figs. 4 to 7, ${listed(words)} are overloaded.`;
}
