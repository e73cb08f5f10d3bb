import type { UpdateLog } from '../lyreo/lyreo';
import type { Mix } from '../system/config';
import {
  type Judgement,
  NUMBER_TOLERANCE,
  type Named,
  WIDEST_INTERVAL,
  all,
  atLeast,
  brief,
  combine,
  excludes,
  fact,
  goes,
  isBeyond,
  isLess,
  isWithin,
  numberHolds,
  untestable,
  withUnit,
} from './judgement';
import type { Artefact, Profile } from './matrix';
import type { EpisodeMetrics } from './measure';
import { type MethodName, methodOf } from './methods';
import { type Published, publishedFacts } from './published';
import {
  type PointLike,
  type Results,
  type RunMetric,
  afterConvergence,
  deviation,
  latency,
  logColumn,
} from './results';
import { mean, sampleDeviation } from './statistics';

/** What sort of statement a claim is. */
export type ClaimKind = 'number' | 'order' | 'trend' | 'bound' | 'shape' | 'setting';

/** A statement of the paper with the rule that decides it. */
export interface Claim {
  readonly id: string;
  readonly artefact: Artefact | 'settings';
  /** The paper's statement; a sentence that states several things is split. */
  readonly claim: string;
  readonly kind: ClaimKind;
  /** What the paper prints, as text; "" where it prints no value. */
  readonly paper: string;
  /** Of a printed number and of ours; "" without one. */
  readonly unit: string;
  /** The rule, in words. */
  readonly tolerance: string;
  /** The points whose runs decide it. */
  readonly needs: readonly PointLike[];
  judge(results: Results): Judgement;
}

const learners: readonly MethodName[] = ['lyreo', 'ly-ppo', 'ppo'];
const plain: readonly MethodName[] = ['static', 'll', 'random'];
const published: readonly MethodName[] = [...learners, ...plain];
const others = (...without: MethodName[]): MethodName[] => published.filter((method) => !without.includes(method));

const numberRule = `interval of the mean meets ±${100 * NUMBER_TOLERANCE} %; one that meets it and is wider than ±${100 * WIDEST_INTERVAL} % decides nothing`;
const orderRule = 'paired 95 % interval of the difference above 0';
/** A training has converged when its last quarter differs from the third by less than this share. */
const SETTLED = 0.05;
const settledRule = `last quarter of the training within ±${100 * SETTLED} % of the third, interval over seeds`;
const trendRule = 'paired interval of last less first on its side of 0, no significant step against it';

/** A metric of the evaluation. */
const evaluated =
  (field: keyof EpisodeMetrics): RunMetric =>
  ({ evaluation }) =>
    evaluation[field];
/** Of `quantileLevels`: 0.05·k. */
const latencyQuantile =
  (k: number): RunMetric =>
  ({ evaluation }) =>
    evaluation.latencyQuantiles[k];
const medianLatency = latencyQuantile(10);
const deviationMedian: RunMetric = ({ evaluation }) => evaluation.deviationQuantiles[10];
const spread: RunMetric = (run) => latencyQuantile(15)(run) - latencyQuantile(5)(run);
const upperTail: RunMetric = (run) => latencyQuantile(19)(run) - medianLatency(run);
const deviationSpread: RunMetric = ({ evaluation }) =>
  evaluation.deviationQuantiles[15] - evaluation.deviationQuantiles[5];

/** The mean of a log's column over a part of the training, from and to as shares of it. */
const during =
  (field: keyof UpdateLog, from: number, to: number): RunMetric =>
  ({ log }) => {
    const column = logColumn(log, field);
    return mean(column.slice(Math.floor(from * column.length), Math.ceil(to * column.length)));
  };
/** How much a column goes up and down over the second half of the training. */
const fluctuation =
  (field: keyof UpdateLog): RunMetric =>
  ({ log }) => {
    const column = logColumn(log, field);
    return sampleDeviation(column.slice(Math.floor(column.length / 2)));
  };

/** A point's quantity with a name that a sentence can hold. */
function at(results: Results, point: PointLike, metric: RunMetric, what = ''): Named {
  const { system = {}, training = {} } = point;
  const where = [
    ...(system.users === undefined ? [] : [`U = ${system.users}`]),
    ...(system.servers === undefined ? [] : [`S = ${system.servers}`]),
    ...(system.mix === undefined ? [] : [system.mix]),
    ...(system.latencyWeight === undefined ? [] : [`nu = ${system.latencyWeight}`]),
    ...(training.window === undefined ? [] : [`H = ${training.window}`]),
  ];
  const name = [what, methodOf(point.method).label, where.length > 0 ? `at ${where.join(', ')}` : '']
    .filter((word) => word !== '')
    .join(' ');
  return { name, values: results.values(point, metric) };
}

/** The last quarter of a training relative to the third, less 1. */
function lateChange(results: Results, point: PointLike, field: 'latency' | 'queue'): Named {
  const quarters = [during(field, 0.5, 0.75), during(field, 0.75, 1)].map((metric) => at(results, point, metric));
  return combine(`change of ${field}, ${quarters[0].name}`, quarters, (third, last) => last / third - 1);
}

/** The latency of a training has settled. */
function converges(results: Results, point: PointLike): Judgement {
  return isWithin(lateChange(results, point, 'latency'), -SETTLED, SETTLED);
}

const points = (names: readonly MethodName[], extra: Omit<PointLike, 'method'> = {}): PointLike[] =>
  names.map((method) => ({ method, ...extra }));

/** Every claim of the paper, in its order, for the sweep points of a profile. */
export function claimsOf(profile: Profile, facts: Published = publishedFacts()): Claim[] {
  return [
    ...fig2(facts),
    ...fig3(facts),
    ...table2(facts),
    ...fig4(facts, profile),
    ...fig5(facts, profile),
    ...fig6(facts),
    ...fig7(facts, profile),
    ...fig8(facts, profile),
  ];
}

function numberClaim(
  id: string,
  artefact: Artefact,
  what: string,
  unit: string,
  printed: number,
  point: PointLike,
  metric: RunMetric,
): Claim {
  return {
    id,
    artefact,
    claim: what,
    kind: 'number',
    paper: withUnit(String(printed), unit),
    unit,
    tolerance: numberRule,
    needs: [point],
    judge: (results) => numberHolds(at(results, point, metric), printed, unit),
  };
}

type Draft = Pick<Claim, 'id' | 'claim' | 'kind' | 'needs' | 'judge'> &
  Partial<Pick<Claim, 'paper' | 'unit' | 'tolerance'>>;

function ruled(artefact: Artefact, draft: Draft): Claim {
  const tolerance = draft.kind === 'trend' ? trendRule : orderRule;
  return { artefact, paper: '', unit: '', tolerance, ...draft };
}

const paperNames = { LYREO: 'lyreo', 'Ly-PPO': 'ly-ppo', PPO: 'ppo' } as const satisfies Record<string, MethodName>;
type PaperName = keyof typeof paperNames;
const threeNames = Object.keys(paperNames) as PaperName[];

function fig2({ fig2_convergence: facts, settings }: Published): Claim[] {
  const [latencyOrder, queueOrder, band, throughout, queueShape, ...stable] = facts.claims;
  const needs = points(learners);
  const final = afterConvergence;
  const order = (field: keyof UpdateLog) => (results: Results) =>
    all([
      isLess(at(results, { method: 'lyreo' }, final(field)), at(results, { method: 'ly-ppo' }, final(field))),
      isLess(at(results, { method: 'ly-ppo' }, final(field)), at(results, { method: 'ppo' }, final(field))),
    ]);
  return [
    ...threeNames.map((name) =>
      numberClaim(
        `fig2.latency.${paperNames[name]}`,
        'fig2',
        `latency of ${name} after convergence`,
        's',
        facts.latency_s[name],
        { method: paperNames[name] },
        final('latency'),
      ),
    ),
    ...threeNames.map((name) =>
      numberClaim(
        `fig2.queue.${paperNames[name]}`,
        'fig2',
        `mean virtual queue of ${name} after convergence`,
        '',
        facts.mean_virtual_queue[name],
        { method: paperNames[name] },
        final('queue'),
      ),
    ),
    ruled('fig2', { id: 'fig2.latency-order', claim: latencyOrder, kind: 'order', needs, judge: order('latency') }),
    ruled('fig2', { id: 'fig2.queue-order', claim: queueOrder, kind: 'order', needs, judge: order('queue') }),
    ruled('fig2', {
      id: 'fig2.band',
      claim: band,
      kind: 'shape',
      paper: `${settings.seeds} seeds`,
      tolerance: 'as many stored trainings of each of the three methods',
      needs,
      judge: (results) => {
        const counts = learners.map((method) => results.runs({ method }).length);
        const least = Math.min(...counts);
        if (least === 0) return untestable('the three learners', 0);
        return fact(least >= settings.seeds, `${counts.join(', ')} trainings of LYREO, Ly-PPO, PPO`);
      },
    }),
    ruled('fig2', {
      id: 'fig2.throughout',
      claim: throughout,
      kind: 'order',
      tolerance: `${orderRule}, for each fifth of the training`,
      needs,
      judge: (results) =>
        all(
          [0, 0.2, 0.4, 0.6, 0.8].flatMap((from) =>
            (['ly-ppo', 'ppo'] as const).map((method) => {
              const part = during('latency', from, from + 0.2);
              const what = `${100 * from} to ${100 * from + 20} % of the training:`;
              return isLess(at(results, { method: 'lyreo' }, part, what), at(results, { method }, part, what));
            }),
          ),
        ),
    }),
    ...learners.map((method, k) =>
      ruled('fig2', {
        id: `fig2.stable.${method}`,
        claim: stable[k],
        kind: 'shape',
        tolerance: settledRule,
        needs: points([method]),
        judge: (results) => converges(results, { method }),
      }),
    ),
    ruled('fig2', {
      id: 'fig2.queue-ppo',
      claim: `${queueShape.split(';')[0]} (mean and standard deviation over the second half of the training)`,
      kind: 'order',
      needs,
      judge: (results) =>
        all(
          (['lyreo', 'ly-ppo'] as const).flatMap((method) => [
            isLess(
              at(results, { method }, during('queue', 0.5, 1), 'queue:'),
              at(results, { method: 'ppo' }, during('queue', 0.5, 1), 'queue:'),
            ),
            isLess(
              at(results, { method }, fluctuation('queue'), 'fluctuation:'),
              at(results, { method: 'ppo' }, fluctuation('queue'), 'fluctuation:'),
            ),
          ]),
        ),
    }),
    ruled('fig2', {
      id: 'fig2.queue-stable',
      claim: 'the two Lyapunov methods are stable (queue)',
      kind: 'shape',
      tolerance: `last quarter of the training less than ${100 * SETTLED} % above the third, interval over seeds`,
      needs: points(['lyreo', 'ly-ppo']),
      judge: (results) =>
        all(
          (['lyreo', 'ly-ppo'] as const).map((method) =>
            isBeyond(lateChange(results, { method }, 'queue'), 'below', SETTLED),
          ),
        ),
    }),
  ];
}

/** One method less than each of others, at one place. */
function below(
  results: Results,
  method: MethodName,
  rivals: readonly MethodName[],
  metric: RunMetric,
  place: Omit<PointLike, 'method'> = {},
): Judgement[] {
  return rivals.map((rival) =>
    isLess(at(results, { method, ...place }, metric), at(results, { method: rival, ...place }, metric)),
  );
}

function fig3({ fig3_distributions: { claims } }: Published): Claim[] {
  const [medians, ppoBeats, pair, compact, lowest, worst, tails, nextCompact] = claims;
  const [staticFirst, llFirst] = pair.split('; ');
  const needs = points(published);
  const order = (id: string, claim: string, judge: (results: Results) => Judgement): Claim =>
    ruled('fig3', { id: `fig3.${id}`, claim, kind: 'order', needs, judge });
  return [
    order('medians', medians, (results) =>
      all([
        ...below(results, 'lyreo', ['ly-ppo'], medianLatency),
        ...below(results, 'ly-ppo', others('lyreo', 'ly-ppo'), medianLatency),
      ]),
    ),
    {
      ...order('ppo', ppoBeats, (results) =>
        all([
          atLeast(2, below(results, 'ppo', plain, medianLatency)),
          atLeast(2, below(results, 'ppo', plain, deviationMedian)),
        ]),
      ),
      tolerance: `${orderRule}, against two of three, medians of latency and of deviation`,
    },
    order('static-latency', staticFirst, (results) => all(below(results, 'static', ['ll'], medianLatency))),
    order('ll-deviation', llFirst, (results) => all(below(results, 'll', ['static'], deviationMedian))),
    {
      ...order('compact', compact, (results) => all(below(results, 'lyreo', others('lyreo'), spread))),
      tolerance: `${orderRule}, quartile distance`,
    },
    {
      ...order('compact-second', nextCompact, (results) =>
        all(below(results, 'ly-ppo', others('lyreo', 'ly-ppo'), spread)),
      ),
      tolerance: `${orderRule}, quartile distance`,
    },
    order('deviations', lowest, (results) =>
      all(
        (['lyreo', 'ly-ppo'] as const).flatMap((method) =>
          below(results, method, others('lyreo', 'ly-ppo'), deviationMedian),
        ),
      ),
    ),
    ...(
      [
        ['random-latency', 'latency', medianLatency],
        ['random-deviation', 'deviation', deviationMedian],
        ['random-width', 'quartile distance of latency', spread],
        ['random-deviation-width', 'quartile distance of deviation', deviationSpread],
      ] as const
    ).map(([id, what, metric]) =>
      order(id, `${worst} (${what})`, (results) =>
        all(others('random').flatMap((method) => below(results, method, ['random'], metric))),
      ),
    ),
    {
      ...order('tails', tails, (results) =>
        all(
          (['lyreo', 'ly-ppo'] as const).flatMap((method) =>
            below(results, method, others('lyreo', 'ly-ppo'), upperTail),
          ),
        ),
      ),
      tolerance: `${orderRule}, 95 % quantile less median`,
    },
  ];
}

const tableMetrics = [
  ['latency', 'latency', 's', latency],
  ['deviation', 'deviation', '', deviation],
  ['p99', 'P99 latency', 's', evaluated('p99Latency')],
  ['high-kv', 'high-KV ratio', '%', evaluated('highKvPercent')],
] as const;

function table2({ table2: facts }: Published): Claim[] {
  const [countWorse, noBalance] = facts.claims;
  const rows = { LYREO: 'lyreo', 'LYREO-Count': 'lyreo-count', 'LYREO-NoLB': 'lyreo-nolb' } as const;
  const three = Object.values(rows);
  return [
    ...(Object.keys(rows) as (keyof typeof rows)[]).flatMap((row) =>
      tableMetrics.map(([id, what, unit, metric], column) =>
        numberClaim(
          `table2.${rows[row]}.${id}`,
          'table2',
          `${what} of ${row}`,
          unit,
          facts[row][column],
          { method: rows[row] },
          metric,
        ),
      ),
    ),
    ...(['LYREO-Count', 'LYREO-NoLB'] as const).flatMap((row) =>
      tableMetrics.map(([id, what, , metric], column): Claim => {
        const printed = facts.percent_against_LYREO[row][column];
        const against = (results: Results): Named =>
          combine(
            `${what} of ${row} against LYREO`,
            [at(results, { method: rows[row] }, metric), at(results, { method: 'lyreo' }, metric)],
            (theirs, lyreos) => 100 * (theirs / lyreos - 1),
          );
        return {
          id: `table2.${rows[row]}.${id}-percent`,
          artefact: 'table2',
          claim: `${what} of ${row} against LYREO`,
          kind: 'number',
          paper: `${printed} %`,
          unit: '%',
          tolerance: numberRule,
          needs: points([rows[row], 'lyreo']),
          judge: (results) => numberHolds(against(results), printed, '%'),
        };
      }),
    ),
    ...tableMetrics.map(([id, what, , metric]) =>
      ruled('table2', {
        id: `table2.count-worse.${id}`,
        claim: `${countWorse}: ${what}`,
        kind: 'order',
        needs: points(['lyreo', 'lyreo-count']),
        judge: (results) => all(below(results, 'lyreo', ['lyreo-count'], metric)),
      }),
    ),
    ...tableMetrics.map(([id, what, , metric], column) =>
      ruled('table2', {
        id: `table2.nolb.${id}`,
        claim: `${noBalance}: ${what}`,
        kind: 'order',
        needs: points(three),
        judge: (results) =>
          all(
            (['lyreo', 'lyreo-count'] as const).flatMap((rival) =>
              column === 0
                ? below(results, 'lyreo-nolb', [rival], metric)
                : below(results, rival, ['lyreo-nolb'], metric),
            ),
          ),
      }),
    ),
  ];
}

/** Places of a sweep, in its order. */
type Places = readonly Omit<PointLike, 'method'>[];

const everywhere = (names: readonly MethodName[], places: Places): PointLike[] =>
  places.flatMap((place) => points(names, place));

/** Every method's quantity rises, or falls, over the places. */
function allGo(
  results: Results,
  names: readonly MethodName[],
  places: Places,
  metric: RunMetric,
  direction: 'rises' | 'falls',
): Judgement {
  return all(
    names.map((method) =>
      goes(
        methodOf(method).label,
        places.map((place) => at(results, { method, ...place }, metric)),
        direction,
      ),
    ),
  );
}

/** At every place, one method is below the others. */
function belowEverywhere(
  results: Results,
  method: MethodName,
  rivals: readonly MethodName[],
  places: Places,
  metric: RunMetric,
): Judgement {
  return all(places.flatMap((place) => below(results, method, rivals, metric, place)));
}

function fig4({ fig4_users: facts, settings }: Published, profile: Profile): Claim[] {
  const [rises, reduction, bound, deviationRises, best, gap, tolerated, advantage] = facts.claims;
  const [average, widens] = reduction.split('; ');
  const places = profile.users.map((users) => ({ system: { users } }));
  const [first, last] = [places[0], places[places.length - 1]];
  const needs = everywhere(published, places);
  const two = everywhere(['lyreo', 'ly-ppo'], places);
  const draft = (id: string, claim: string, kind: Claim['kind'], judge: Claim['judge']): Claim =>
    ruled('fig4', { id: `fig4.${id}`, claim, kind, needs, judge });
  const gapRule = 'paired 95 % interval of the gap at the last U less that at the first above 0';
  const gapGrows = (results: Results, rival: MethodName, metric: RunMetric): Judgement => {
    const gapAt = (place: Omit<PointLike, 'method'>, which: string): Named =>
      combine(
        `gap to ${methodOf(rival).label} at the ${which} U`,
        [at(results, { method: 'lyreo', ...place }, metric), at(results, { method: rival, ...place }, metric)],
        (lyreo, other) => other - lyreo,
      );
    return isLess(gapAt(first, 'first'), gapAt(last, 'last'));
  };
  const printed = Number(/(\d+)%/.exec(average)?.[1] ?? Number.NaN);
  const limit = Number(/about ([\d.]+)/.exec(bound)?.[1] ?? Number.NaN);
  return [
    ...(['LYREO', 'Ly-PPO'] as const).flatMap((name) =>
      facts.users.map((users, end) =>
        numberClaim(
          `fig4.latency.${paperNames[name]}.U${users}`,
          'fig4',
          `latency of ${name} at U = ${users}`,
          's',
          facts.latency_s[name][end],
          { method: paperNames[name], system: { users } },
          latency,
        ),
      ),
    ),
    draft('latency-rises', rises, 'trend', (results) => allGo(results, published, places, latency, 'rises')),
    {
      ...draft('reduction', average, 'number', (results) => {
        const shares = places.map((place) =>
          combine(
            'share',
            [at(results, { method: 'lyreo', ...place }, latency), at(results, { method: 'ly-ppo', ...place }, latency)],
            (lyreo, lyPpo) => 100 * (1 - lyreo / lyPpo),
          ),
        );
        const reductionOfAll = combine('LYREO below Ly-PPO, mean over U', shares, (...each) => mean(each));
        return numberHolds(reductionOfAll, printed, '%');
      }),
      paper: `${printed} %`,
      unit: '%',
      tolerance: numberRule,
      needs: two,
    },
    {
      ...draft('gap-widens', `${widens} (LYREO to Ly-PPO, latency)`, 'trend', (results) =>
        gapGrows(results, 'ly-ppo', latency),
      ),
      tolerance: gapRule,
      needs: two,
    },
    ...(
      [
        ['latency', latency],
        ['deviation', deviation],
      ] as const
    ).map(([what, metric]) => ({
      ...draft(`advantage-widens.${what}`, `${advantage} (${what}, over every other method)`, 'trend', (results) =>
        all(others('lyreo').map((rival) => gapGrows(results, rival, metric))),
      ),
      tolerance: gapRule,
      needs: everywhere(published, [first, last]),
    })),
    {
      ...draft('bound', bound, 'bound', (results) =>
        all(
          places.map((place) =>
            isBeyond(at(results, { method: 'lyreo', ...place }, deviation), 'below', limit * (1 + NUMBER_TOLERANCE)),
          ),
        ),
      ),
      paper: `< ${limit}`,
      tolerance: `interval below ${brief(limit * (1 + NUMBER_TOLERANCE))} ("about": +10 %) at every U`,
      needs: everywhere(['lyreo'], places),
    },
    {
      ...draft('tolerance', tolerated, 'bound', (results) =>
        all(
          places.map((place) =>
            isBeyond(at(results, { method: 'lyreo', ...place }, deviation), 'below', settings.epsilon),
          ),
        ),
      ),
      paper: `≤ ε = ${settings.epsilon}`,
      tolerance: `interval below ${settings.epsilon} at every U`,
      needs: everywhere(['lyreo'], places),
    },
    draft('deviation-rises', deviationRises, 'trend', (results) =>
      allGo(results, published, places, deviation, 'rises'),
    ),
    draft('best-latency', `${best} (latency)`, 'order', (results) =>
      belowEverywhere(results, 'lyreo', others('lyreo'), places, latency),
    ),
    draft('best-deviation', `${best} (deviation)`, 'order', (results) =>
      belowEverywhere(results, 'lyreo', others('lyreo'), places, deviation),
    ),
    draft('other-gaps', gap, 'order', (results) =>
      belowEverywhere(results, 'ly-ppo', others('lyreo', 'ly-ppo'), places, latency),
    ),
  ];
}

/** How far a method's latency falls from the first place to the last, as a share. */
function fall(results: Results, method: MethodName, places: Places): Named {
  const ends = [places[0], places[places.length - 1]].map((place) => at(results, { method, ...place }, latency));
  return combine(`fall of ${methodOf(method).label}`, ends, (first, last) => 1 - last / first);
}

/** What "markedly" means here: by a fifth. */
const MARKED = 0.2;

function fig5({ fig5_servers: { claims } }: Published, profile: Profile): Claim[] {
  const [falls, best, marked, deviations] = claims;
  const [noTrend, learnersFall, lyreoLowest] = deviations.split('; ');
  const [llFalls, staticModest, randomWorst] = marked.split('; ');
  const places = profile.servers.map((servers) => ({ system: { servers } }));
  const needs = everywhere(published, places);
  const draft = (id: string, claim: string, kind: Claim['kind'], judge: Claim['judge']): Claim =>
    ruled('fig5', { id: `fig5.${id}`, claim, kind, needs, judge });
  return [
    draft('latency-falls', falls, 'trend', (results) => allGo(results, published, places, latency, 'falls')),
    draft('best', `${best} (LYREO)`, 'order', (results) =>
      belowEverywhere(results, 'lyreo', others('lyreo'), places, latency),
    ),
    draft('second', `${best} (Ly-PPO second)`, 'order', (results) =>
      belowEverywhere(results, 'ly-ppo', others('lyreo', 'ly-ppo'), places, latency),
    ),
    draft('third', `${best} (PPO third)`, 'order', (results) =>
      belowEverywhere(results, 'ppo', plain, places, latency),
    ),
    {
      ...draft('ll-marked', llFalls, 'bound', (results) => isBeyond(fall(results, 'll', places), 'above', MARKED)),
      tolerance: 'latency falls by more than a fifth from the first S to the last, interval above 0.2',
    },
    {
      ...draft('static-modest', `${staticModest} (less than LL)`, 'order', (results) =>
        isLess(fall(results, 'static', places), fall(results, 'll', places)),
      ),
      tolerance: 'relative fall of LL less that of Static: paired interval above 0',
    },
    draft('random-worst', randomWorst, 'order', (results) =>
      all(others('random').map((method) => belowEverywhere(results, method, ['random'], places, latency))),
    ),
    {
      ...draft('no-trend', noTrend, 'trend', (results) =>
        excludes(
          (['rises', 'falls'] as const).map((direction) => allGo(results, published, places, deviation, direction)),
        ),
      ),
      tolerance: 'that all methods rise, and that all fall, by the trend rule, is each contradicted',
    },
    {
      ...draft('learners-fall', `${learnersFall} (deviation)`, 'shape', (results) =>
        all(
          learners.flatMap((method) => {
            const values = places.map((place) => at(results, { method, ...place }, deviation));
            const drop = (which: string, step: readonly Named[]): Named =>
              combine(`${which} step down of ${methodOf(method).label}`, step, (before, after) => before - after);
            return [
              isLess(values[1], values[0]),
              isLess(drop('last', values.slice(-2)), drop('first', values.slice(0, 2))),
            ];
          }),
        ),
      ),
      tolerance: `${orderRule}: each learner falls at the first step of S, and less at the last`,
      needs: everywhere(learners, places),
    },
    draft('lowest-deviation', `${lyreoLowest} (deviation)`, 'order', (results) =>
      belowEverywhere(results, 'lyreo', others('lyreo'), places, deviation),
    ),
  ];
}

function fig6({ fig6_heterogeneity: { claims } }: Published): Claim[] {
  const [rises, lowest, llBest, atHom, slightly] = claims;
  const mixes: readonly Mix[] = ['Hom', 'Mod', 'Het'];
  const places = mixes.map((mix) => ({ system: { mix } }));
  const needs = everywhere(published, places);
  const draft = (id: string, claim: string, kind: Claim['kind'], judge: Claim['judge']): Claim =>
    ruled('fig6', { id: `fig6.${id}`, claim, kind, needs, judge });
  const [llFirst, worst] = llBest.split('; ');
  return [
    draft('deviation-rises', rises, 'trend', (results) => allGo(results, published, places, deviation, 'rises')),
    draft('lowest', `${lowest} (LYREO)`, 'order', (results) =>
      belowEverywhere(results, 'lyreo', others('lyreo'), places, deviation),
    ),
    draft('second', `${lowest} (Ly-PPO second)`, 'order', (results) =>
      belowEverywhere(results, 'ly-ppo', others('lyreo', 'ly-ppo'), places, deviation),
    ),
    draft('ll-best', llFirst, 'order', (results) =>
      belowEverywhere(results, 'll', ['static', 'random'], places, deviation),
    ),
    {
      ...draft('worst', worst, 'order', (results) =>
        atLeast(
          2,
          places.map((place) =>
            all(
              others('static', 'random').flatMap((method) =>
                below(results, method, ['static', 'random'], deviation, place),
              ),
            ),
          ),
        ),
      ),
      tolerance: `${orderRule}, at two of the three mixes ("nearly")`,
    },
    {
      ...draft('learners-at-hom', atHom, 'order', (results) =>
        all(learners.flatMap((method) => below(results, method, plain, deviation, { system: { mix: 'Hom' } }))),
      ),
      needs: points(published, { system: { mix: 'Hom' } }),
    },
    {
      ...draft('slightly', slightly, 'shape', (results) =>
        all(
          places.map((place) => {
            const pair = (['lyreo', 'ly-ppo'] as const).map((method) => at(results, { method, ...place }, deviation));
            const share = combine(`${pair[0].name} below Ly-PPO, share`, pair, (lyreo, lyPpo) => 1 - lyreo / lyPpo);
            return isWithin(share, 0, MARKED);
          }),
        ),
      ),
      tolerance: `below by no more than a fifth at every mix: interval of the share within 0 to ${MARKED}`,
      needs: everywhere(['lyreo', 'ly-ppo'], places),
    },
  ];
}

function fig7({ fig7_nu: facts, settings }: Published, profile: Profile): Claim[] {
  const [falls, rises, turning, cost] = facts.claims;
  const point = (nu: number): PointLike => ({ method: 'lyreo', system: { latencyWeight: nu } });
  const turn = settings.nu_default;
  const needs = profile.nu.map(point);
  const numbers = (
    [
      ['latency', 's', facts.latency_s, latency],
      ['deviation', '', facts.deviation, deviation],
    ] as const
  ).flatMap(([what, unit, printed, metric]) =>
    Object.entries(printed).map(([nu, value]) =>
      numberClaim(`fig7.${what}.nu${nu}`, 'fig7', `${what} at nu = ${nu}`, unit, value, point(Number(nu)), metric),
    ),
  );
  const [first, last] = [profile.nu[0], profile.nu[profile.nu.length - 1]];
  const three = [first, turn, last].map(point);
  const slope = (results: Results, metric: RunMetric, a: number, b: number): Named =>
    combine(
      `change per doubling from ${a} to ${b}`,
      [at(results, point(a), metric), at(results, point(b), metric)],
      (from, to) => (to - from) / Math.log2(b / a),
    );
  const ends = (results: Results, metric: RunMetric): Named[] => three.map((each) => at(results, each, metric));
  return [
    ...numbers,
    ruled('fig7', {
      id: 'fig7.latency-falls',
      claim: falls.split(', ')[0],
      kind: 'trend',
      needs,
      judge: (results) =>
        goes(
          'LYREO',
          needs.map((each) => at(results, each, latency)),
          'falls',
        ),
    }),
    ruled('fig7', {
      id: 'fig7.most-of-the-gain',
      claim: falls.split(', ')[1],
      kind: 'shape',
      tolerance: `share of the gain from the least nu to the greatest that is there at ${turn}: interval above 0.5`,
      needs: three,
      judge: (results) =>
        all([
          isLess(at(results, point(last), latency), at(results, point(first), latency)),
          isBeyond(
            combine(`share of the gain by nu = ${turn}`, ends(results, latency), (a, b, c) => (a - b) / (a - c)),
            'above',
            0.5,
          ),
        ]),
    }),
    ruled('fig7', {
      id: 'fig7.deviation-rises',
      claim: rises,
      kind: 'shape',
      tolerance: `rise per doubling of nu beyond ${turn} less that up to it: paired interval above 0`,
      needs: three,
      judge: (results) => isLess(slope(results, deviation, first, turn), slope(results, deviation, turn, last)),
    }),
    ruled('fig7', {
      id: 'fig7.turning-point',
      claim: turning,
      kind: 'shape',
      tolerance: `latency falls up to ${turn}, and per doubling of nu by a fifth less beyond it: paired intervals above 0`,
      needs: three,
      judge: (results) =>
        all([
          isLess(at(results, point(turn), latency), at(results, point(first), latency)),
          isLess(
            combine(
              `${1 - MARKED} of the change up to ${turn}`,
              [slope(results, latency, first, turn)],
              (x) => (1 - MARKED) * x,
            ),
            slope(results, latency, turn, last),
          ),
        ]),
    }),
    ...(
      [
        ['deviation', 'deviation', deviation],
        ['queue', 'mean virtual queue', evaluated('meanQueue')],
      ] as const
    ).map(([id, what, metric]) =>
      ruled('fig7', {
        id: `fig7.cost.${id}`,
        claim: `${cost} (${what} rises with nu)`,
        kind: 'trend',
        needs,
        judge: (results) =>
          goes(
            'LYREO',
            needs.map((each) => at(results, each, metric)),
            'rises',
          ),
      }),
    ),
  ];
}

/** What "marginal" and "close" mean here, relative. */
const MARGINAL = 0.02;

function fig8({ fig8_truncation: facts }: Published, profile: Profile): Claim[] {
  const [convergence, longer, close] = facts.claims;
  const [longerBetter, marginal] = longer.split(', ');
  const { H_default: H, H_max: most } = facts;
  const point = (window: number): PointLike => ({ method: 'lyreo-printed', training: { window } });
  const needs = profile.windowsPrinted.map(point);
  const final = afterConvergence('latency');
  const change = (results: Results): Named =>
    combine(
      `latency at H = ${most} relative to H = ${H}, less 1`,
      [at(results, point(H), final), at(results, point(most), final)],
      (a, b) => b / a - 1,
    );
  return [
    ruled('fig8', {
      id: 'fig8.converges',
      claim: convergence,
      kind: 'shape',
      tolerance: settledRule,
      needs,
      judge: (results) => all(needs.map((each) => converges(results, each))),
    }),
    ruled('fig8', {
      id: 'fig8.longer-is-better',
      claim: longerBetter,
      kind: 'trend',
      needs: needs.filter(({ training }) => (training?.window ?? 0) <= H),
      judge: (results) =>
        goes(
          'LYREO as printed',
          profile.windowsPrinted.filter((window) => window <= H).map((window) => at(results, point(window), final)),
          'falls',
        ),
    }),
    ruled('fig8', {
      id: 'fig8.marginal',
      claim: marginal,
      kind: 'shape',
      tolerance: `latency at H = ${most} within ±${100 * MARGINAL} % of that at ${H}, interval over seeds`,
      needs: [point(H), point(most)],
      judge: (results) => isWithin(change(results), -MARGINAL, MARGINAL),
    }),
    ruled('fig8', {
      id: 'fig8.fluctuations',
      claim: close,
      kind: 'order',
      tolerance: `within ±${100 * SETTLED} %, and the standard deviation over the second half of the training greater: paired interval above 0`,
      needs: [point(H), point(most)],
      judge: (results) =>
        all([
          isWithin(change(results), -SETTLED, SETTLED),
          isLess(
            at(results, point(H), fluctuation('latency'), 'fluctuation:'),
            at(results, point(most), fluctuation('latency'), 'fluctuation:'),
          ),
        ]),
    }),
  ];
}
