/** The verdict of the stored runs on the paper in a few computed sentences, for the README and the start page. */
import { formatNumber, sideOf } from './judgement';
import { type MethodName, methodOf, methods } from './methods';
import { publishedFacts } from './published';
import { type PointLike, type Results, deviation, isOverloaded, latency } from './results';
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

/** Five sentences, the most important first: the count of claims, the learners, the printed form, the rules, stability. */
export function verdictSentences(results: Results, board: Scoreboard = scoreboard(results)): string[] {
  return [claimsSentence(board), learnersSentence(results), printedSentence(results, board)]
    .concat(ruleSentence(results), stabilitySentence(results))
    .filter((sentence) => sentence !== '');
}

function claimsSentence({ headline }: Scoreboard): string {
  const { independent, byChance } = headline.requestCredit;
  const { holds, doesNotHold, contradicted, cannotBeTested } = independent;
  const open = cannotBeTested === 0 ? '' : `, and ${cannotBeTested} cannot be tested yet`;
  return (
    `With LYREO (request credit), our form of the method, the stored runs confirm ${holds} of the paper's ` +
    `${holds + doesNotHold + cannotBeTested} independent claims, contradict ${contradicted} and leave ` +
    `${doesNotHold - contradicted} undecided${open}; chance alone would confirm at most ${byChance.toFixed(0)}.`
  );
}

/** Latency and deviation of a method in Fig. 2, "2.49 s at a deviation of 0.0069"; "" without runs. */
function measured(results: Results, method: MethodName): string {
  const runs = results.runs(inFig2(results, method));
  if (runs.length === 0) return '';
  const [seconds, balance] = [mean(runs.map(latency)), mean(runs.map(deviation))];
  return `${seconds.toFixed(2)} s at a deviation of ${formatNumber(balance)}`;
}

function learnersSentence(results: Results): string {
  const ours = LEARNERS.filter((method) => results.runs(inFig2(results, method)).length > 0);
  if (!ours.includes('lyreo')) return '';
  const stated = publishedFacts().fig2_convergence.latency_s;
  const values = ours.map((method) => {
    const paper = stated[methodOf(method).label as keyof typeof stated];
    return `${nameOf(method)} ${measured(results, method)} (paper: ${paper} s)`;
  });
  const rivals = ours.filter((method) => method !== 'lyreo').map((method) => comparison(results, method));
  return `The mean latencies at the default are: ${listed(values)}; LYREO's latency is ${listed(rivals)}.`;
}

/** Whether LYREO's latency is significantly below that of a rival, over the seeds that both have. */
function comparison(results: Results, rival: MethodName): string {
  const theirs = results.values(inFig2(results, rival), latency);
  const ours = results.values(inFig2(results, 'lyreo'), latency);
  const differences = [...ours].flatMap(([seed, value]) => {
    const other = theirs.get(seed);
    return other === undefined ? [] : [other - value];
  });
  const words = {
    above: 'significantly below that of',
    below: 'significantly above that of',
    undecided: 'not significantly different from that of',
  };
  return `${words[sideOf(differences)]} ${nameOf(rival)}`;
}

function printedSentence(results: Results, { headline }: Scoreboard): string {
  const own = measured(results, 'lyreo-printed');
  if (own === '') return '';
  return (
    `LYREO (printed), the nearest reading of the text, has ${own}, and the stored runs with it confirm ` +
    `${headline.printed.independent.holds} claims.`
  );
}

/** The best rule that learns nothing. */
function ruleSentence(results: Results): string {
  const latencyOf = (method: MethodName): number => mean(results.runs(inFig2(results, method)).map(latency));
  const rules = (Object.keys(methods) as MethodName[])
    .filter((method) => methodOf(method).scheduler !== undefined && results.runs(inFig2(results, method)).length > 0)
    .sort((a, b) => latencyOf(a) - latencyOf(b));
  if (rules.length === 0) return '';
  return `Of ${rules.length} rules without learning ${nameOf(rules[0])} is best: ${measured(results, rules[0])}.`;
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
