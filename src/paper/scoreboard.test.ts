import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { targetsOf } from '../studies/calibration/objective';
import { claimsFile } from './claims';
import { type Judgement, type Named, combine, isBounded, isLess, isMonotone, numberHolds, sideOf } from './judgement';
import { quantileLevels } from './evaluate';
import { methods } from './methods';
import { profiles } from './profiles';
import { publishedFacts } from './published';
import { Results, figureRuns } from './results';
import { allHold, atLeast, excludes, percentRange } from './rules';
import { type RunSpec, matrix, runSpec } from './run-spec';
import type { StoredRun } from './run-store';
import { type ScoreboardRow, notebookOf, scoreboard, total } from './scoreboard';

const { claims, causes } = claimsFile();

const named = (...values: number[]): Named => ({ name: 'x', values: new Map(values.map((x, i) => [i + 1, x])) });
const [low, high, middle] = [named(1, 1, 1), named(3, 3.1, 3), named(2, 2.1, 2)];
const rises = (...points: Named[]): Judgement => isMonotone('y', points, 'rises');
const yes = isLess(named(1, 2, 3), named(2, 3, 4));
const no = isLess(named(2, 3, 4), named(1, 2, 3));
const tie = isLess(named(1, 2, 3), named(1, 2, 3));
const open = isLess(named(), named());

describe('rules', () => {
  it.each([
    ['five of five seeds', [1, 2, 3, 4, 1000], 'above'],
    ['four of five', [1, 2, 3, 4, -0.001], 'undecided'],
    ['a tie is no seed in favour', [1, 2, 3, 4, 0], 'undecided'],
    ['eight of nine', [1, 2, 3, 4, 5, 6, 7, 8, -9], 'above'],
    ['overloaded seeds count as the greatest', [-1, -2, -3, -4, -Infinity], 'below'],
    ['three seeds by their interval', [1, 1.1, 1.2], 'above'],
    ['three seeds that scatter', [0.1, 1, 2], 'undecided'],
    ['three of three overloaded', [Infinity, Infinity, Infinity], 'above'],
    ['two of three overloaded', [Infinity, Infinity, 1], 'undecided'],
  ])('side: %s', (_, values, side) => {
    expect(sideOf(values)).toBe(side);
  });

  const [holds, contradicted, notShown, untestable] = ['holds', 'contradicted', 'not shown', 'cannot be tested'];
  it.each([
    ['number: within ±10 %', numberHolds(named(2.4, 2.41, 2.39), 2.5), holds],
    ['number: just outside', numberHolds(named(2.2, 2.201, 2.199), 2.5), contradicted],
    ['number: an interval that reaches in from outside', numberHolds(named(2.1, 2.2, 2.3), 2.5), notShown],
    ['number: far away, however wide', numberHolds(named(0.1, 0.4, 0.2, 0.3, 0.9), 2.5), contradicted],
    ['number: a mean within, an interval that meets anything', numberHolds(named(1, 4, 2.5), 2.5), notShown],
    ['number: one seed of five overloaded', numberHolds(named(2.5, 2.5, 2.5, 2.5, Infinity), 2.5), notShown],
    ['number: five of five overloaded', numberHolds(named(...Array<number>(5).fill(Infinity)), 2.5), contradicted],
    ['number: one seed', numberHolds(named(2.5), 2.5), untestable],
    ['number: no seed', numberHolds(named(), 2.5), untestable],
    ['number: a quotient of 0 by 0', numberHolds(named(1, 1, NaN), 2.5), untestable],
    ['order: clearly less', isLess(named(1, 2, 3), named(2, 3, 4.1)), holds],
    ['order: clearly more', isLess(named(2, 3, 4.1), named(1, 2, 3)), contradicted],
    ['order: equal', tie, notShown],
    ['order: noise', isLess(named(1, 2, 3), named(2, 1, 3.5)), notShown],
    ['order: less than overloaded', isLess(named(1, 2, 3, 4, 5), named(2, 3, 4, 5, Infinity)), holds],
    ['order: both overloaded', isLess(named(1, 2, 3, 4, Infinity), named(2, 3, 4, 5, Infinity)), notShown],
    ['order: one seed', isLess(named(1), named(2)), untestable],
    ['bound: below', isBounded(named(0.4, 0.5, 0.6), { below: 1 }), holds],
    ['bound: across the limit', isBounded(named(0.4, 0.5, 0.6), { below: 0.5 }), notShown],
    ['bound: beyond the limit', isBounded(named(0.4, 0.5, 0.6), { below: 0.1 }), contradicted],
    ['bound: within', isBounded(named(0, 0.01, -0.01), { above: -0.05, below: 0.05 }), holds],
    ['bound: within in the mean only', isBounded(named(0, 0.1, -0.1), { above: -0.05, below: 0.05 }), notShown],
    ['bound: outside', isBounded(named(1, 1.1, 1.2), { above: -0.05, below: 0.05 }), contradicted],
    ['bound: no number', isBounded(named(0, NaN, 0), { above: 0 }), untestable],
    ['trend: a rise', rises(low, middle, high), holds],
    ['trend: a fall', rises(high, middle, low), contradicted],
    ['trend: a rise with a significant fall within', rises(low, high, middle), contradicted],
    ['trend: a step back that noise explains', rises(low, named(3, 2.9, 3.1), named(2.9, 3.1, 3)), holds],
    ['trend: an undecided change', rises(named(1, 2, 3), named(2, 1, 3.1)), notShown],
    ['trend: one seed', rises(low, named(2)), untestable],
    // One part that fails decides a conjunction, whatever is missing.
    ['all: both', allHold([yes, yes]), holds],
    ['all: one open', allHold([yes, open]), untestable],
    ['all: one fails, one open', allHold([open, no]), contradicted],
    ['at least two: two of three', atLeast(2, [yes, yes, no]), holds],
    ['at least two: one open', atLeast(2, [yes, no, open]), untestable],
    ['at least two: two fail', atLeast(2, [yes, no, no]), contradicted],
    ['at least two: one fails, one is not shown', atLeast(2, [yes, no, tie]), notShown],
    // Nothing is excluded for lack of evidence.
    ['none: each contradicted', excludes([no, no]), holds],
    ['none: one not shown', excludes([no, tie]), notShown],
    ['none: one open', excludes([no, open]), untestable],
    ['none: one holds', excludes([open, yes]), contradicted],
  ])('%s', (_, judgement, wanted) => {
    expect(judgement.verdict).toBe(wanted);
  });

  it('a step in the claimed direction is none against it, whatever the whole change', () => {
    const judgement = isMonotone('y', [named(1, 9, 2), high, low], 'falls');
    expect(judgement.verdict).toBe(notShown);
    expect(judgement.reason).not.toContain('against');
  });

  it('a wider interval never helps a number', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 4, noNaN: true }), { minLength: 2, maxLength: 4 }),
        fc.double({ min: 1, max: 10, noNaN: true }),
        (values, factor) => {
          const centre = values.reduce((sum, x) => sum + x, 0) / values.length;
          const wider = named(...values.map((x) => centre + factor * (x - centre)));
          if (numberHolds(wider, 2.5).verdict === 'holds')
            // The same mean but for rounding.
            expect(Math.abs(centre - 2.5) > 0.2499999 || numberHolds(named(...values), 2.5).verdict === 'holds').toBe(
              true,
            );
        },
      ),
    );
  });

  it('a percentage has the range of two numbers within ±10 %: 25 % is 1.25 and 1.25·0.9/1.1 to 1.25·1.1/0.9', () => {
    const rounded = (range: readonly number[]): number[] => range.map((x) => Number(x.toFixed(2)));
    expect(rounded(percentRange(25, 1))).toEqual([2.27, 52.78]);
    // 33 % below is a quotient of 0.67.
    expect(rounded(percentRange(33, -1)).sort((a, b) => a - b)).toEqual([18.11, 45.18]);
  });

  it('combines seeds that all have', () => {
    const sum = combine('z', [named(1, 2, 3), named(10, 20)], (a, b) => a + b);
    expect([...sum.values.values()]).toEqual([11, 22]);
  });
});

/** A synthetic run: a method's latency and deviation at a point, with a little noise by seed. */
interface Fiction {
  readonly latency: number;
  readonly deviation: number;
}

const noise = [0, 0.004, -0.003, 0.002, -0.004];
const updates = Array.from({ length: 40 }, (_, k) => k);

/** A stored run as if a method had been measured so. */
function invent(spec: RunSpec, { latency, deviation }: Fiction): StoredRun {
  const factor = 1 + noise[spec.seed - 1];
  const log = {
    latency: updates.map((k) => latency * factor * (1 + Math.exp(-k / 4))),
    queue: updates.map((k) => 10 * deviation * factor * (1 + (k % 2 === 0 ? 0.1 : -0.1))),
  };
  const evaluation = {
    meanLatency: latency * factor,
    deviation: deviation * factor,
    p99Latency: 1.5 * latency * factor,
    highKvPercent: 1000 * deviation * factor,
    meanQueue: deviation,
    stability: { verdict: 'STABLE' },
    latencyQuantiles: quantileLevels.map((q) => latency * factor * (0.5 + q)),
    deviationQuantiles: quantileLevels.map((q) => deviation * factor * (0.5 + q)),
  };
  return { ...spec, log: spec.hyperparameters === null ? null : log, evaluation } as unknown as StoredRun;
}

/** The paper's world: every method where the paper's text puts it. */
function asPublished({ method, config }: RunSpec): Fiction {
  const base: Partial<Record<string, readonly [number, number]>> = {
    lyreo: [2.4, 0.008],
    'ly-ppo': [3.8, 0.012],
    ppo: [5, 0.02],
    static: [6, 0.045],
    ll: [7, 0.03],
    random: [9, 0.06],
    'lyreo-count': [2.79, 0.011],
    'lyreo-nolb': [2.02, 0.018],
  };
  const [latency, deviation] = base[method] ?? [5, 0.03];
  const load = (config.users / 40) ** 0.5 / (config.servers / 8) ** (method === 'll' ? 0.6 : 0.3);
  const mix = { Hom: 0.8, Mod: 1, Het: 1.2 }[config.mix];
  const nu = (config.latencyWeight / 0.5) ** -0.3;
  return { latency: latency * load * nu, deviation: (deviation * (config.users / 40) ** 0.2 * mix) / nu };
}

const { paper } = profiles;
const specs = matrix(paper);
const world = (of: (spec: RunSpec) => Fiction): Results =>
  new Results(
    paper,
    specs.map((spec) => invent(spec, of(spec))),
  );
const inPublished = scoreboard(world(asPublished));
const rowsOf = (rows: readonly ScoreboardRow[]): Map<string, ScoreboardRow> =>
  new Map(rows.map((row) => [row.id, row]));
const verdicts = (results: Results): Map<string, string> =>
  new Map(scoreboard(results).rows.map(({ id, verdict }) => [id, verdict]));

describe('scoreboard', () => {
  it('has a row for every claim, and every printed number of the figures is the value of one', () => {
    const { rows } = inPublished;
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.filter(({ kind }) => kind !== 'setting')).toHaveLength(102);
    const facts = publishedFacts();
    const numbers = (value: unknown): number[] =>
      typeof value === 'number'
        ? [value]
        : typeof value === 'object'
          ? Object.values(value ?? {}).flatMap(numbers)
          : [];
    const { fig2_convergence: fig2, table2, fig4_users: fig4, fig7_nu: fig7 } = facts;
    const printed = [fig2, table2, fig4.latency_s, fig7.latency_s, fig7.deviation].flatMap(numbers);
    const values = claims.flatMap((claim) => (claim.rule === 'number' ? [claim.value] : []));
    // 33 is stated in a sentence.
    expect(values.sort()).toEqual([...printed, 33].sort());
    // 6 of Fig. 2, 12 and 8 percentages of Table II, 4 and the 33 % of Fig. 4, 5 of Fig. 7.
    expect(rows.filter(({ kind }) => kind === 'number')).toHaveLength(36);
    expect(rows.filter(({ kind }) => kind === 'setting')).toHaveLength(Object.keys(facts.settings).length);
  });

  it('finds that the paper’s order holds where it does', () => {
    const rows = rowsOf(inPublished.rows);
    const held =
      'fig2.latency-order fig2.queue-order fig2.band fig2.throughout fig2.stable.lyreo fig2.stable.ly-ppo fig2.stable.ppo fig2.queue-ppo fig2.queue-stable fig3.medians fig3.ppo fig3.static-latency fig3.ll-deviation fig3.compact fig3.compact-second fig3.deviations fig3.random-latency fig3.random-width fig3.random-deviation fig3.random-deviation-width fig3.tails table2.count-worse.latency table2.nolb.latency table2.nolb.deviation fig4.latency-rises fig4.gap-widens fig4.advantage-widens.latency fig4.advantage-widens.deviation fig4.bound fig4.tolerance fig4.deviation-rises fig4.best-latency fig4.best-deviation fig4.other-gaps fig5.latency-falls fig5.best fig5.second fig5.third fig5.ll-marked fig5.static-modest fig5.random-worst fig5.lowest-deviation fig6.deviation-rises fig6.lowest fig6.second fig6.ll-best fig6.worst fig6.learners-at-hom fig7.latency-falls fig7.most-of-the-gain fig7.turning-point fig7.cost.deviation fig7.cost.queue fig8.converges fig8.marginal';
    for (const id of held.split(' '))
      expect([id, rows.get(id)?.verdict, rows.get(id)?.reason]).toEqual([id, 'holds', rows.get(id)?.reason]);
    expect(rows.get('fig2.latency.lyreo')).toMatchObject({ verdict: 'holds', paper: '2.4 s', ours: { n: 5 } });
    expect(rows.get('table2.lyreo.p99')).toMatchObject({ verdict: 'holds' });
    // Ours in the unit of what is printed.
    expect(rows.get('fig4.reduction')).toMatchObject({ paper: '33 %', unit: '%' });
    expect(rows.get('fig4.reduction')?.reason).toMatch(/\] % against 18\.1 to 45\.2 %/);
    // H changes nothing in this world.
    expect(rows.get('fig8.longer-is-better')?.verdict).toBe('not shown');
    expect(rows.get('fig8.fluctuations')?.verdict).toBe('not shown');
    expect(inPublished.claims.cannotBeTested).toBe(0);
  });

  it('finds that the opposite world does not hold', () => {
    const opposite = verdicts(
      world((spec) => {
        const { latency, deviation } = asPublished(spec);
        return { latency: 10 / latency, deviation: 0.001 / deviation };
      }),
    );
    // P99 goes with the mean in these worlds.
    const orders = claims.filter(({ id, kind }) => kind === 'order' && id !== 'table2.nolb.p99');
    for (const { id } of orders)
      expect([id, opposite.get(id)]).toEqual([id, id === 'fig8.fluctuations' ? 'not shown' : 'contradicted']);
  });

  it('cannot test what is missing, and says what makes it', () => {
    const { rows, claims: count } = scoreboard(new Results(paper, []));
    expect(count).toMatchObject({ holds: 0, contradicted: 0, notShown: 0 });
    const row = rowsOf(rows).get('fig4.best-latency');
    expect(row).toMatchObject({ verdict: 'cannot be tested', ours: null, evidence: { runs: [] } });
    expect(row?.reason).toContain('lyreo experiments fig4 --profile paper');
  });

  it('says of every setting that we do not have why', () => {
    const settings = inPublished.rows.filter(({ kind }) => kind === 'setting');
    const differ = settings.filter(({ verdict }) => verdict !== 'holds');
    expect(differ.map(({ claim }) => claim)).toEqual([
      'H_default (not printed, it follows from the text)',
      'lengths',
      'decode_rate',
      'kv_pool',
      'critic_learning_rate (not printed, it follows from the text)',
      'probability_ratio (not printed, it follows from the text)',
      'early_stop (not printed, it follows from the text)',
      'returns (not printed, it follows from the text)',
      'start_queue (not printed, it follows from the text)',
      'independent_share (not printed, it follows from the text)',
      'redistribution',
      'model',
      'framework',
    ]);
    for (const { reason } of differ) expect(reason).toMatch(/^ours is .+: .+/);
    // 40 users · 2.63 s · 285 tokens · 16 KB are 0.48 GB; 3·10 + 3·20 + 2·24 GB are 138 GB.
    expect(rowsOf(settings).get('settings.kv_pool')?.reason).toContain('the load holds some 0.348 %');
    expect(rowsOf(settings).get('settings.learning_rate')).toMatchObject({ claim: 'learning_rate', verdict: 'holds' });
  });

  it('names the runs that decide a row, and a notebook that there is', () => {
    for (const notebook of Object.values(notebookOf))
      expect(existsSync(join(__dirname, '..', '..', notebook))).toBe(true);
    const { evidence } = rowsOf(inPublished.rows).get('table2.count-worse.p99') as ScoreboardRow;
    const keys = ['lyreo-U50', 'lyreo-count-U50'].flatMap((name) =>
      specs.filter((spec) => spec.name === name).map(({ key }) => key),
    );
    expect([...evidence.runs].sort()).toEqual(keys.sort());
  });
});

describe('data/claims.json', () => {
  it('has each id once, and names causes and claims that there are', () => {
    const [ids, known] = [claims, causes].map((list) => list.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, repeats = [], cause } of claims) {
      expect(ids).toEqual(expect.arrayContaining([...repeats]));
      expect(repeats).not.toContain(id);
      if (cause !== undefined) expect(known).toContain(cause);
    }
  });

  it('has for every contradicted claim a cause, and each cause the notebook and the heading that show it', () => {
    const board = scoreboard(Results.load('paper'));
    const bare = board.rows.filter(
      (one) => one.kind !== 'setting' && one.verdict === 'contradicted' && one.cause === null,
    );
    expect(bare.map(({ id }) => id)).toEqual([]);
    for (const { id, text, notebook, heading } of causes) {
      const { cells } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'notebooks', notebook), 'utf8')) as {
        cells: { source: string | string[] }[];
      };
      const lines = cells.flatMap(({ source }) => [source].flat().join('').split('\n'));
      expect([id, lines.filter((line) => line.replace(/^#+ /, '') === heading).length]).toEqual([id, 1]);
      expect(text).toMatch(/^[A-Z][^.]*([.]\d[^.]*)*\.$/);
    }
  });

  it('marks as fitted the printed numbers that the calibration was fitted to', () => {
    const fitted = claims.filter(({ mark, rule }) => mark === 'fitted' && (rule === 'number' || rule === 'bound'));
    const printed = fitted.map((claim) => (claim.rule === 'number' ? claim.value : 0.009));
    const targets = targetsOf({ fig2: 40, table2: 40 }).filter(
      ({ name, over }) => over === undefined && !/keeps up|above/.test(name),
    );
    expect(printed.sort()).toEqual([...new Set(targets.map((target) => target.printed))].sort());
  });
});

describe('the headline', () => {
  it('counts a claim that repeats another once, and apart those that are drawn only or have our own grid', () => {
    const { independent, ownGrid, drawnOnly, repeats, decided, byChance, fittedHold } =
      inPublished.headline.requestCredit;
    expect([independent, ownGrid, drawnOnly, repeats].map(total)).toEqual([66, 12, 1, 23]);
    expect(fittedHold).toBeLessThanOrEqual(independent.holds);
    expect(decided).toBe(independent.holds + independent.contradicted);
    expect(byChance).toBeLessThan(decided);
    expect(inPublished.summary.split('\n')[0]).toMatch(
      /^LYREO \(request credit\): \d+ of 66 independent claims hold \(\d+ of them fitted; by chance \d+ of the \d+ decided would\), \d+ contradicted, /,
    );
  });

  it('states the probability of a random order, of a number within a factor of two, of a trend', () => {
    const chances = new Map(inPublished.rows.map(({ id, chance }) => [id, chance]));
    // One order of six methods has LYREO first and Ly-PPO second: 4!/6!.
    expect(chances.get('fig3.medians')).toBeCloseTo(1 / 30, 12);
    expect(chances.get('fig4.best-latency')).toBeCloseTo(1 / 6, 12);
    expect(chances.get('fig3.ppo')).toBeCloseTo(1 / 2, 12);
    expect(chances.get('fig6.worst')).toBeCloseTo(1 / 15, 12);
    expect(chances.get('fig2.latency.lyreo')).toBeCloseTo(Math.log(1.1 / 0.9) / Math.log(4), 12);
    expect(chances.get('fig7.latency-falls')).toBe(1 / 2);
  });

  it('has a verdict of its own for LYREO (printed), the same where LYREO has no part', () => {
    const rows = rowsOf(inPublished.rows);
    expect(rows.get('fig3.static-latency')?.lyreoPrinted?.verdict).toBe(rows.get('fig3.static-latency')?.verdict);
    // In that world every other method, LYREO (printed) too, has 5 s.
    expect(rows.get('fig2.latency.lyreo')?.verdict).toBe('holds');
    expect(rows.get('fig2.latency.lyreo')?.lyreoPrinted).toMatchObject({ verdict: 'contradicted' });
    // No sweep over ν is made with it.
    expect(rows.get('fig7.latency.nu2')?.lyreoPrinted?.verdict).toBe('cannot be tested');
  });
});

describe('runs of a figure', () => {
  const results = world(asPublished);

  it.each(['table2', 'fig4', 'fig8', 'extras'] as const)('%s', (figureId) => {
    const { series, missing, command } = figureRuns(figureId, results);
    expect([missing, command]).toEqual([[], `lyreo experiments ${figureId} --profile paper`]);
    const seeds = figureId === 'extras' ? paper.extraSeeds : paper.seeds;
    for (const { runs } of series.flatMap(({ points }) => points))
      expect(runs.map(({ seed }) => seed)).toEqual(expect.arrayContaining([...seeds]));
  });

  it('tell what is missing', () => {
    const some = new Results(
      paper,
      specs.filter(({ seed }) => seed > 1).map((spec) => invent(spec, asPublished(spec))),
    );
    const { missing, series } = figureRuns('fig7', some);
    expect(missing).toContain(runSpec(paper, { method: 'lyreo', system: { users: 50 } }, 1).key);
    // Of seed 1: a run per value of ν.
    expect(missing).toHaveLength(paper.nu.length);
    expect(series[0].label).toBe(methods.lyreo.label);
  });
});
