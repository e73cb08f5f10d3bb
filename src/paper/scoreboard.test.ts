import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claims, parseClaims } from './claims';
import {
  type Judgement,
  type Named,
  all,
  atLeast,
  combine,
  excludes,
  goes,
  isBeyond,
  isLess,
  isWithin,
  numberHolds,
} from './judgement';
import { type Cell, type Point, artefacts, makeCell, matrix, profiles } from './matrix';
import { type EpisodeMetrics, quantileLevels } from './measure';
import { methodOf } from './methods';
import { publishedFacts } from './published';
import { Results, curveOf, figureRuns, learningCurve } from './results';
import type { StoredRun } from './run-store';
import { type ScoreboardRow, notebookOf, scoreboard } from './scoreboard';

const named = (...values: number[]): Named => ({ name: 'x', values: new Map(values.map((x, i) => [i + 1, x])) });

describe('rules', () => {
  it.each([
    ['meets ±10 %', named(2.4, 2.41, 2.39), 2.5, 'holds'],
    ['just outside', named(2.2, 2.201, 2.199), 2.5, 'does not hold'],
    ['an interval that reaches in', named(2.1, 2.2, 2.3), 2.5, 'holds'],
    ['far away, however wide', named(0.1, 0.4, 0.2), 2.5, 'does not hold'],
    ['so wide that it meets anything', named(1, 4, 2), 2.5, 'cannot be tested'],
    ['one seed', named(2.5), 2.5, 'cannot be tested'],
    ['no seed', named(), 2.5, 'cannot be tested'],
    ['a quotient by 0', named(Infinity, 1, NaN), 2.5, 'cannot be tested'],
  ])('number: %s', (_, ours, printed, verdict) => {
    expect(numberHolds(ours, printed).verdict).toBe(verdict);
  });

  it.each([
    ['clearly less', named(1, 2, 3), named(2, 3, 4.1), 'holds'],
    ['clearly more', named(2, 3, 4.1), named(1, 2, 3), 'does not hold'],
    ['equal', named(1, 2, 3), named(1, 2, 3), 'does not hold'],
    ['noise', named(1, 2, 3), named(2, 1, 3.5), 'does not hold'],
    ['one seed', named(1), named(2), 'cannot be tested'],
  ])('order: %s', (_, a, b, verdict) => {
    expect(isLess(a, b).verdict).toBe(verdict);
  });

  it('order tells a tie from the opposite', () => {
    const tie = isLess(named(1, 2, 3), named(1, 2, 3));
    const opposite = isLess(named(2, 3, 4.1), named(1, 2, 3));
    expect([tie.isContradicted, tie.reason]).toEqual([false, expect.stringMatching(/no significant difference/)]);
    expect([opposite.isContradicted, opposite.reason]).toEqual([
      true,
      expect.stringMatching(/the opposite is significant/),
    ]);
  });

  it.each([
    ['a number that is met', numberHolds(named(2.4, 2.41, 2.39), 2.5), false],
    ['a number that is missed', numberHolds(named(2.2, 2.201, 2.199), 2.5), true],
    ['a bound within the interval', isBeyond(named(0.4, 0.5, 0.6), 'below', 0.5), false],
    ['a bound beyond it', isBeyond(named(0.4, 0.5, 0.6), 'below', 0.1), true],
    ['limits that the interval crosses', isWithin(named(0, 0.1, -0.1), -0.05, 0.05), false],
    ['limits outside it', isWithin(named(1, 1.1, 1.2), -0.05, 0.05), true],
    ['a rise that is none', goes('y', [named(1, 1), named(2, 3)], 'rises'), false],
    ['a rise that falls', goes('y', [named(2, 2.1, 2), named(1, 1, 1)], 'rises'), true],
    ['a rise with a fall within', goes('y', [named(1, 1, 1), named(3, 3.1, 3), named(2, 2.1, 2)], 'rises'), true],
    ['a conjunction of ties', all([isLess(named(1, 2, 3), named(1, 2, 3))]), false],
    [
      'a conjunction with an opposite',
      all([isLess(named(1, 2, 3), named(1, 2, 3)), isLess(named(2, 3, 4.1), named(1, 2, 3))]),
      true,
    ],
  ])('what does not hold is contradicted or not shown: %s', (_, judgement, isContradicted) => {
    expect(judgement.isContradicted).toBe(isContradicted);
  });

  it('bounds ask for the whole interval', () => {
    expect(isBeyond(named(0.4, 0.5, 0.6), 'below', 1).verdict).toBe('holds');
    expect(isBeyond(named(0.4, 0.5, 0.6), 'below', 0.6).verdict).toBe('does not hold');
    expect(isWithin(named(0, 0.01, -0.01), -0.05, 0.05).verdict).toBe('holds');
    expect(isWithin(named(0, 0.1, -0.1), -0.05, 0.05).verdict).toBe('does not hold');
    expect(isWithin(named(0, NaN, 0), -0.05, 0.05).verdict).toBe('cannot be tested');
    expect(isBeyond(named(1, Infinity, 1), 'above', 0).verdict).toBe('cannot be tested');
  });

  it('trend needs two seeds at each point', () => {
    expect(goes('y', [named(1, 1), named(2, 3)], 'rises').verdict).toBe('does not hold');
    expect(goes('y', [named(1, 1, 1), named(2, 2.1, 2)], 'rises').verdict).toBe('holds');
    expect(goes('y', [named(1, 1, 1), named(2, 2.1, 2)], 'falls').verdict).toBe('does not hold');
    expect(goes('y', [named(1, 1), named(2)], 'rises').verdict).toBe('cannot be tested');
  });

  it('a conjunction falls with one part, whatever is missing', () => {
    const yes = isLess(named(1, 2, 3), named(2, 3, 4));
    const no = isLess(named(2, 3, 4), named(1, 2, 3));
    const open = isLess(named(), named());
    const verdict = (...parts: Judgement[]): string => all(parts).verdict;
    expect([verdict(yes, yes), verdict(yes, open), verdict(open, no)]).toEqual([
      'holds',
      'cannot be tested',
      'does not hold',
    ]);
    expect(atLeast(2, [yes, yes, no]).verdict).toBe('holds');
    expect(atLeast(2, [yes, no, open]).verdict).toBe('cannot be tested');
    const tie = isLess(named(1, 2, 3), named(1, 2, 3));
    expect(atLeast(2, [yes, no, no])).toMatchObject({ verdict: 'does not hold', isContradicted: true });
    expect(atLeast(2, [yes, no, tie])).toMatchObject({ verdict: 'does not hold', isContradicted: false });
  });

  it('nothing is excluded for lack of evidence', () => {
    const yes = isLess(named(1, 2, 3), named(2, 3, 4));
    const opposite = isLess(named(2, 3, 4), named(1, 2, 3));
    const tie = isLess(named(1, 2, 3), named(1, 2, 3));
    const open = isLess(named(), named());
    expect(excludes([opposite, opposite])).toMatchObject({ verdict: 'holds', isContradicted: false });
    expect(excludes([opposite, tie])).toMatchObject({ verdict: 'does not hold', isContradicted: false });
    expect(excludes([opposite, open])).toMatchObject({ verdict: 'cannot be tested' });
    expect(excludes([open, yes])).toMatchObject({ verdict: 'does not hold', isContradicted: true });
  });

  it('combines seeds that all have', () => {
    expect([...combine('z', [named(1, 2, 3), named(10, 20)], (a, b) => a + b).values]).toEqual([
      [1, 11],
      [2, 22],
    ]);
  });
});

/** What a synthetic run reports: a method's latency and deviation at a point, with a little noise by seed. */
interface Fiction {
  readonly latency: number;
  readonly deviation: number;
}

const noise = [0, 0.004, -0.003, 0.002, -0.004];

/** A stored run as if a method had been measured so. */
function invent(cell: Cell, { latency, deviation }: Fiction): StoredRun {
  const factor = 1 + noise[cell.seed - 1];
  const metrics: EpisodeMetrics = {
    meanLatency: latency * factor,
    deviation: deviation * factor,
    worstDeviation: deviation,
    p99Latency: 1.5 * latency * factor,
    highKvPercent: 1000 * deviation * factor,
    meanQueue: deviation,
    finalQueue: deviation,
    meanEta: 0.3,
  };
  const { key, name, profile, method, seed, system, training, config, hyperparameters } = cell;
  const updates = Array.from({ length: 40 }, (_, k) => k);
  return {
    key,
    name,
    profile,
    method,
    seed,
    system,
    training,
    config,
    hyperparameters,
    log:
      hyperparameters === null
        ? null
        : {
            latency: updates.map((k) => latency * factor * (1 + Math.exp(-k / 4))),
            queue: updates.map((k) => 10 * deviation * factor * (1 + (k % 2 === 0 ? 0.1 : -0.1))),
          },
    evaluation: {
      ...metrics,
      episodes: 3,
      slots: 800,
      completed: 1,
      rejected: 0,
      parts: { transmission: 0, synchronisation: 0, prefillQueue: 0, prefill: 0, admission: 0, decode: latency },
      stability: { verdict: 'STABLE', reason: '' },
      latencyQuantiles: quantileLevels.map((q) => latency * factor * (0.5 + q)),
      deviationQuantiles: quantileLevels.map((q) => deviation * factor * (0.5 + q)),
      perEpisode: {} as StoredRun['evaluation']['perEpisode'],
    },
    underStatic: null,
    resultsVersion: 1,
    version: '0',
    commit: null,
    machine: { cpu: '', cores: 1, node: '', platform: '' },
    command: '',
    wallSeconds: 1,
    resumedAt: 0,
  };
}

/** The paper's world: every method where the paper's text puts it. */
function asPublished({ method, config }: Cell): Fiction {
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
const cells = matrix(paper);
const world = (of: (cell: Cell) => Fiction): Results =>
  new Results(
    paper,
    cells.map((cell) => invent(cell, of(cell))),
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
    const values = claims().flatMap((claim) => (claim.rule === 'number' ? [claim.value] : []));
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
    expect(rows.get('fig4.reduction')?.reason).toMatch(/\] % against 29\.7 to 36\.3 %/);
    // H changes nothing in this world.
    expect(rows.get('fig8.longer-is-better')?.verdict).toBe('does not hold');
    expect(rows.get('fig8.fluctuations')?.verdict).toBe('does not hold');
    expect(inPublished.claims.cannotBeTested).toBe(0);
  });

  it('has no percentage of nothing', () => {
    const percent = verdicts(
      world((cell) => ({ ...asPublished(cell), ...(cell.method === 'lyreo' && { deviation: 0 }) })),
    );
    for (const row of ['lyreo-count', 'lyreo-nolb']) {
      expect(percent.get(`table2.${row}.high-kv-percent`)).toBe('cannot be tested');
      expect(percent.get(`table2.${row}.latency-percent`)).toBe('does not hold');
    }
  });

  it('finds that ties do not hold', () => {
    const tied = verdicts(world(() => ({ latency: 3, deviation: 0.01 })));
    for (const { id, kind } of claims())
      if (kind === 'order' || kind === 'trend') expect([id, tied.get(id)]).toEqual([id, 'does not hold']);
  });

  it('finds that the opposite world does not hold', () => {
    const opposite = verdicts(
      world((cell) => {
        const { latency, deviation } = asPublished(cell);
        return { latency: 10 / latency, deviation: 0.001 / deviation };
      }),
    );
    // P99 goes with the mean in these worlds.
    const orders = claims().filter(({ id, kind }) => kind === 'order' && id !== 'table2.nolb.p99');
    for (const { id } of orders) expect([id, opposite.get(id)]).toEqual([id, 'does not hold']);
  });

  it('cannot test what is missing, and says what makes it', () => {
    const { rows, claims } = scoreboard(new Results(paper, []));
    expect(claims).toMatchObject({ holds: 0, doesNotHold: 0 });
    const row = rowsOf(rows).get('fig4.best-latency');
    expect(row).toMatchObject({ verdict: 'cannot be tested', ours: null, evidence: { runs: [] } });
    expect(row?.reason).toContain('lyreo experiments fig4 --profile paper');
  });

  it('does not take runs of another configuration for evidence', () => {
    const runs = cells.map((cell) => ({
      ...invent(cell, asPublished(cell)),
      key: `${cell.name}-s${cell.seed}-00000000`,
    }));
    expect(scoreboard(new Results(paper, runs)).claims).toMatchObject({ holds: 0, doesNotHold: 0 });
  });

  it('says of every setting that we do not have why', () => {
    const settings = inPublished.rows.filter(({ kind }) => kind === 'setting');
    const differ = settings.filter(({ verdict }) => verdict !== 'holds');
    expect(differ.map(({ claim }) => claim)).toEqual([
      'H_default (not printed, it follows from the text)',
      'lengths',
      'decode_rate',
      'kv_pool',
      'balance_unit (not printed, it follows from the text)',
      'critic_learning_rate (not printed, it follows from the text)',
      'redistribution',
      'model',
      'framework',
    ]);
    for (const { reason } of differ) expect(reason).toMatch(/^ours is .+: .+/);
    // 40 users · 2.63 s · 285 tokens · 16 KB are 0.48 GB; 3·10 + 3·20 + 2·24 GB are 138 GB.
    expect(rowsOf(settings).get('settings.kv_pool')?.reason).toContain('the load holds some 0.348 %');
    expect(rowsOf(settings).get('settings.learning_rate')).toMatchObject({ claim: 'learning_rate', verdict: 'holds' });
  });

  it('names the runs that decide a row', () => {
    const { evidence } = rowsOf(inPublished.rows).get('table2.count-worse.p99') as ScoreboardRow;
    const keys = ['lyreo', 'lyreo-count'].flatMap((name) =>
      cells.filter((cell) => cell.name === name).map(({ key }) => key),
    );
    expect([...evidence.runs].sort()).toEqual(keys.sort());
  });
});

describe('data/claims.json', () => {
  const row = {
    id: 'x',
    section: 'fig2',
    text: 't',
    kind: 'order',
    rule: 'order',
    metrics: ['latency'],
    groups: [['lyreo'], ['ppo']],
  };
  const parse = (change: object) => () => parseClaims(JSON.stringify([{ ...row, ...change }]), 'c.json');

  it.each([
    [{ metrics: ['latncy'] }, 'c.json: row 1 (x): metrics[0] is "latncy"; allowed: latency, deviation, P99 latency,'],
    [{ groups: [['lyreo'], ['pppo']] }, 'c.json: row 1 (x): groups[1][0] is "pppo"; allowed: lyreo, '],
    [
      { rule: 'ordr' },
      'c.json: row 1 (x): rule is "ordr"; allowed: number, order, difference, bound, trend, seeds, all',
    ],
    [{ at: { user: 'every' } }, 'c.json: row 1 (x): at.user is "every"; allowed: no unknown keys'],
    [{ at: { users: 'each' } }, 'c.json: row 1 (x): at.users is "each"; allowed: a value of the sweep, first,'],
    [{ section: 'fig9' }, 'c.json: row 1 (x): section is "fig9"; allowed: fig2, '],
    [{ value: 3 }, 'c.json: row 1 (x): value is 3; allowed: no unknown keys'],
  ])('%j is refused', (change, message) => {
    expect(parse(change)).toThrow(message);
  });

  it('has each id once', () => {
    expect(parse({})()).toHaveLength(1);
    expect(() => parseClaims(JSON.stringify([row, row]), 'c.json')).toThrow(
      'c.json: id "x" stands twice; allowed: once',
    );
  });
});

describe('runs of a figure', () => {
  const results = world(asPublished);

  it.each(['fig2', 'fig3', 'table2', 'fig4', 'fig5', 'fig6', 'fig7', 'fig8', 'extras'] as const)('%s', (artefact) => {
    const { series, missing, command } = figureRuns(artefact, results);
    expect(missing).toEqual([]);
    expect(command).toBe(`lyreo experiments ${artefact} --profile paper`);
    const isExtra = (label: string): boolean => ['fig8', 'extras'].includes(artefact) || label === 'LYREO (printed)';
    for (const { points, label } of series)
      for (const { runs } of points)
        expect(runs.map(({ seed }) => seed)).toEqual(
          expect.arrayContaining([...(isExtra(label) ? paper.extraSeeds : paper.seeds)]),
        );
  });

  it('become curves', () => {
    const { series } = figureRuns('fig4', results);
    const lyreo = curveOf(series[0], (run) => run.evaluation.meanLatency);
    expect(lyreo.x).toEqual([20, 30, 40, 50, 60]);
    expect(lyreo.n).toEqual([5, 5, 5, 5, 5]);
    lyreo.mean.forEach((value, i) => {
      expect(lyreo.lo[i]).toBeLessThan(value);
      expect(lyreo.max[i]).toBeGreaterThan(value);
    });
    const point: Point = { method: 'lyreo', system: {}, training: {} };
    const learning = learningCurve(results.runs(point), 'latency');
    expect(learning.x).toHaveLength(40);
    expect(learning.mean[39]).toBeLessThan(learning.mean[0]);
  });

  it('tell what is missing', () => {
    const some = new Results(
      paper,
      cells.filter(({ seed }) => seed > 1).map((cell) => invent(cell, asPublished(cell))),
    );
    const { missing, series } = figureRuns('fig7', some);
    expect(missing).toContain(makeCell(paper, { method: 'lyreo', system: {}, training: {} }, 1).key);
    // Of seed 1: a run per value of ν.
    expect(missing).toHaveLength(paper.nu.length);
    expect(series[0].label).toBe(methodOf('lyreo').label);
  });
});

describe('notebookOf', () => {
  it.each(artefacts)('%s has its notebook', (artefact) => {
    expect(existsSync(join(__dirname, '..', '..', notebookOf[artefact]))).toBe(true);
  });
});
