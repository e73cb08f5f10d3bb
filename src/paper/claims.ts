import { z } from 'zod';
import { UserError, invalid, show } from '../core/errors';
import { dataFile, readTextFile } from '../core/files';
import { parseJson, parseWith } from '../core/parse';
import { type MethodName, methods } from './methods';
import {
  type Combined,
  type Measured,
  type MetricName,
  type Place,
  type Quantity,
  combinationNames,
  metricNames,
} from './quantities';
import type { SweepName } from './quantities';

/** The figure or table that a claim stands in. */
export type Section = 'fig2' | 'fig3' | 'table2' | 'fig4' | 'fig5' | 'fig6' | 'fig7' | 'fig8';

export type ClaimKind = 'number' | 'order' | 'trend' | 'bound' | 'shape' | 'setting';

/** The rule that decides a claim, with its operands. */
export type Rule =
  | { readonly rule: 'number'; readonly of: Quantity; readonly value: number }
  | {
      /** Each method of a group is below each of the next group, for every metric and place. */
      readonly rule: 'order';
      readonly metrics: readonly MetricName[];
      readonly groups: readonly (readonly MethodName[])[];
      readonly at?: Place | undefined;
      /** The number of rivals or places that must hold; default: all. */
      readonly need?: number | undefined;
      readonly among?: 'rivals' | 'places' | undefined;
    }
  | { readonly rule: 'difference'; readonly less: Quantity; readonly than: Quantity }
  | {
      readonly rule: 'bound';
      readonly of: Quantity;
      readonly above?: number | undefined;
      readonly below?: number | undefined;
    }
  | {
      readonly rule: 'trend';
      readonly metric: MetricName;
      readonly methods: readonly MethodName[];
      readonly over: SweepName;
      readonly direction: 'rises' | 'falls' | 'neither';
      readonly upTo?: number | undefined;
    }
  | { readonly rule: 'seeds'; readonly methods: readonly MethodName[]; readonly least: number }
  | { readonly rule: 'all'; readonly parts: readonly Rule[] };

/** Claims that are counted apart: fitted by the calibration, with sweep points of our choice, or only drawn. */
export type Mark = 'fitted' | 'own grid' | 'drawn only';

/** The cause of a contradiction: a row of data/claims.json. */
export interface Cause {
  readonly id: string;
  /** One sentence. */
  readonly text: string;
  /** The notebook in `notebooks/`, and the heading over the cell that shows it. */
  readonly notebook: string;
  readonly heading: string;
}

/** A statement of the paper with the rule that decides it: a row of data/claims.json. */
export type Claim = Rule & {
  readonly id: string;
  readonly section: Section;
  /** The paper's statement; a sentence that states several things has several rows. */
  readonly text: string;
  readonly kind: Exclude<ClaimKind, 'setting'>;
  /** The printed value as text, of a claim that is no number. */
  readonly printed?: string | undefined;
  /** The unit of the printed number and of ours. */
  readonly unit?: string | undefined;
  /** The special part of the rule in words. */
  readonly decides?: string | undefined;
  readonly mark?: Mark | undefined;
  /** Ids of the claims from which it follows; it is shown and not counted. */
  readonly repeats?: readonly string[] | undefined;
  /** Id of the cause of its contradiction. */
  readonly cause?: string | undefined;
};

const oneOf = <const T extends string>(names: readonly T[]): z.ZodType<T> => z.enum(names, names.join(', '));
const number = z.number('a finite number');
const share = z.number('a share from 0 to 1').min(0, 'a share from 0 to 1').max(1, 'a share from 0 to 1');
const method = oneOf(Object.keys(methods) as MethodName[]);
const someMethods = z.array(method, 'a list of methods').min(1, 'at least one method');
const metric: z.ZodType<MetricName> = z.union(
  [
    z.enum(metricNames),
    z.strictObject({
      training: z.enum(['latency', 'queue']),
      from: share,
      to: share,
      statistic: z.enum(['mean', 'standard deviation']).optional(),
    }),
  ],
  `${metricNames.join(', ')}, or { training: latency or queue, from, to } with shares of the training`,
);
const sweep = oneOf(['users', 'servers', 'mix', 'nu', 'window']);
const position = z.union(
  [number, z.enum(['Hom', 'Mod', 'Het', 'first', 'second', 'last but one', 'last', 'every'])],
  'a value of the sweep, first, second, last but one, last or every',
);
const place: z.ZodType<Place> = z.strictObject(
  {
    users: position.optional(),
    servers: position.optional(),
    mix: position.optional(),
    nu: position.optional(),
    window: position.optional(),
  },
  'positions by users, servers, mix, nu and window',
);
const measured: z.ZodType<Measured> = z.strictObject({
  metric,
  method: z.union([method, someMethods], 'a method, or a list of methods'),
  at: place.optional(),
});
const combined: z.ZodType<Combined> = z.strictObject({
  combine: oneOf(combinationNames),
  of: z.array(measured, 'a list of quantities').min(2, 'two or three quantities').max(3, 'two or three quantities'),
  label: z.string('text'),
  times: number.optional(),
});
const quantity: z.ZodType<Quantity> = z.union(
  [measured, combined],
  '{ metric, method, at } or { combine, of, label } with known names',
);

/** The operands of each rule. */
const operands = {
  number: { of: quantity, value: number },
  order: {
    metrics: z.array(metric, 'a list of metrics').min(1, 'at least one metric'),
    groups: z.array(someMethods, 'lists of methods').min(2, 'at least two lists of methods'),
    at: place.optional(),
    need: z.int('an integer').optional(),
    among: oneOf(['rivals', 'places']).optional(),
  },
  difference: { less: quantity, than: quantity },
  bound: { of: quantity, above: number.optional(), below: number.optional() },
  trend: {
    metric,
    methods: someMethods,
    over: sweep,
    direction: oneOf(['rises', 'falls', 'neither']),
    upTo: number.optional(),
  },
  seeds: { methods: someMethods, least: z.int('an integer') },
  all: {
    parts: z
      .array(
        z.lazy((): z.ZodType<Rule> => ruleWith({})),
        'a list of rules',
      )
      .min(2, 'at least two rules'),
  },
};

/** The schema of any rule, with more fields around it. */
function ruleWith(fields: z.ZodRawShape): z.ZodType<Rule> {
  const [first, ...rest] = Object.entries(operands).map(([rule, shape]) =>
    z.strictObject({ rule: z.literal(rule), ...shape, ...fields }),
  );
  return z.discriminatedUnion('rule', [first, ...rest], Object.keys(operands).join(', ')) as unknown as z.ZodType<Rule>;
}

const row = ruleWith({
  id: z.string('text'),
  section: oneOf(['fig2', 'fig3', 'table2', 'fig4', 'fig5', 'fig6', 'fig7', 'fig8']),
  text: z.string('text'),
  kind: oneOf(['number', 'order', 'trend', 'bound', 'shape']),
  printed: z.string('text').optional(),
  unit: z.string('text').optional(),
  decides: z.string('text').optional(),
  mark: oneOf(['fitted', 'own grid', 'drawn only']).optional(),
  repeats: z.array(z.string('an id of a claim'), 'a list of ids').optional(),
  cause: z.string('an id of a cause').optional(),
}) as z.ZodType<Claim>;

const causeRow: z.ZodType<Cause> = z.strictObject({
  id: z.string('text'),
  text: z.string('text'),
  notebook: z.string('a file in notebooks/'),
  heading: z.string('a heading in the notebook'),
});

interface ClaimsFile {
  readonly causes: Readonly<Record<string, Cause>>;
  readonly claims: readonly Claim[];
}

/** Checks rows one by one, so that an error names the row by its id. */
function parseRows<T extends { readonly id: string }>(
  schema: z.ZodType<T>,
  rows: readonly unknown[],
  where: string,
): T[] {
  const parsed = rows.map((value, i) => {
    const id = (value as { id?: unknown } | null)?.id;
    return parseWith(schema, value, `${where}[${i}]${typeof id === 'string' ? ` (${id})` : ''}`);
  });
  const twice = parsed.find(({ id }, i) => parsed.findIndex((other) => other.id === id) !== i);
  if (twice !== undefined) throw new UserError(`${where}: id is ${show(twice.id)} twice; allowed: each id once`);
  return parsed;
}

/**
 * Checks the text of data/claims.json.
 *
 * @throws UserError with file, row, field, value and what is allowed.
 */
export function parseClaims(text: string, file: string): ClaimsFile {
  const list = z.array(z.unknown(), 'a list');
  const whole = parseWith(z.strictObject({ causes: list, claims: list }), parseJson(text, file), file);
  const causesById = Object.fromEntries(
    parseRows(causeRow, whole.causes, `${file}: causes`).map((cause) => [cause.id, cause]),
  );
  const rows = parseRows(row, whole.claims, `${file}: claims`);
  const ids = new Set(rows.map(({ id }) => id));
  rows.forEach(({ id, cause, repeats = [] }, i) => {
    const where = `${file}: claims[${i}] (${id})`;
    if (cause !== undefined && !(cause in causesById))
      throw invalid(`${where}: cause`, cause, Object.keys(causesById).join(', '));
    const unknown = repeats.find((other) => !ids.has(other) || other === id);
    if (unknown !== undefined) throw invalid(`${where}: repeats`, unknown, 'ids of other claims');
  });
  return { causes: causesById, claims: rows };
}

let shipped: ClaimsFile | undefined;

function claimsFile(): ClaimsFile {
  const file = dataFile('claims.json');
  shipped ??= parseClaims(readTextFile(file), file);
  return shipped;
}

/** Every claim of the paper in its order, from data/claims.json. */
export function claims(): readonly Claim[] {
  return claimsFile().claims;
}

/** The causes of contradictions by id, from data/claims.json. */
export function causes(): Readonly<Record<string, Cause>> {
  return claimsFile().causes;
}
