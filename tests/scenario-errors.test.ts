import { describe, expect, it } from 'vitest';
import { UserError } from '../src/core/errors';
import { parseJson } from '../src/core/parse';
import { parseScenario } from '../src/system/scenario';

/** JSON as a reader of a file would have it: anything may stand anywhere. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

const FILE = 'trace.json';

function valid(): Json {
  const server = (name: string, kvCapacityBytes: number, speeds: number[]): Json => ({
    name,
    kvCapacityBytes,
    prefillTokensPerSecond: 16,
    decodeProfile: speeds.map((iterationsPerSecond, i) => ({ kvBytes: [0, 9, 20][i], iterationsPerSecond })),
  });
  const request = (id: string, on: string): Json => ({
    id,
    inputTokens: 4,
    outputTokens: 3,
    server: on,
    transmissionSeconds: 0.125,
  });
  return {
    slotSeconds: 1,
    kvBytesPerToken: 2,
    prefillSlowdown: 0.5,
    batching: 'deed',
    oversized: 'reject',
    servers: [server('a', 40, [8, 8, 4]), server('b', 80, [8])],
    slots: [
      { requests: [request('r1', 'a'), request('r2', 'b')] },
      { requests: [] },
      { requests: [request('r3', 'a')] },
    ],
  };
}

/** The valid scenario with one place changed; `undefined` takes the field away. */
function withAt(path: string, value: unknown): unknown {
  const scenario = valid();
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], scenario) as Record<
    string,
    unknown
  >;
  if (value === undefined) Reflect.deleteProperty(parent, last);
  else parent[last] = value;
  return scenario;
}

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  return 'nothing was thrown';
}

const complaint = (path: string, value: unknown): string => messageOf(() => parseScenario(withAt(path, value), FILE));

const POSITIVE = 'a finite number > 0';
const NON_NEGATIVE = 'a finite number >= 0';
const TOKENS = 'an integer >= 1';
const SHARE = 'a number in [0, 1)';
const NAME = 'a non-empty string';

const notNumbers = [undefined, null, '1', true, [], {}, NaN, Infinity, -Infinity];
const notStrings = [undefined, null, 1, true, [], {}, ''];
const notLists = [undefined, null, 1, 'abc', {}];
const notRecords = [null, 1, 'abc', []];

/** Per field: values it must refuse, and what the message says is allowed instead. */
const refused: [path: string, allowed: string, values: unknown[]][] = [
  ['slotSeconds', POSITIVE, [...notNumbers, 0, -1]],
  ['kvBytesPerToken', POSITIVE, [...notNumbers, 0, -1]],
  ['prefillSlowdown', SHARE, [...notNumbers, -0.1, 1, 1.5]],
  ['batching', '"deed" or "static"', [undefined, null, 1, '', 'DEED', 'dynamic']],
  ['oversized', '"error" or "reject"', [null, 1, '', 'drop']],
  ['servers', 'a list of servers', notLists],
  ['servers', 'at least one server', [[]]],
  ['servers[1]', 'a server', notRecords],
  ['servers[1].name', NAME, notStrings],
  ['servers[1].kvCapacityBytes', POSITIVE, [...notNumbers, 0, -5]],
  ['servers[1].prefillTokensPerSecond', POSITIVE, [...notNumbers, 0, -5]],
  ['servers[1].decodeProfile', 'a list of {kvBytes, iterationsPerSecond}', notLists],
  ['servers[1].decodeProfile', 'at least one {kvBytes, iterationsPerSecond}', [[]]],
  ['servers[0].decodeProfile[1]', '{kvBytes, iterationsPerSecond}', notRecords],
  ['servers[0].decodeProfile[1].kvBytes', NON_NEGATIVE, [...notNumbers, -1]],
  ['servers[0].decodeProfile[1].kvBytes', 'more than the point before (0)', [0]],
  ['servers[0].decodeProfile[2].kvBytes', 'more than the point before (9)', [8.5]],
  ['servers[0].decodeProfile[1].iterationsPerSecond', POSITIVE, [...notNumbers, 0, -1]],
  ['servers[0].decodeProfile[2].iterationsPerSecond', 'at most the point before (8)', [8.25]],
  ['slots', 'a list of slots', notLists],
  ['slots[1]', 'a slot', notRecords],
  ['slots[0].requests', 'a list of requests', notLists],
  ['slots[0].requests[1]', 'a request', notRecords],
  ['slots[0].requests[1].id', NAME, notStrings],
  ['slots[0].requests[1].inputTokens', TOKENS, [...notNumbers, 0, -1, 1.5, 1e300]],
  ['slots[0].requests[1].outputTokens', TOKENS, [...notNumbers, 0, -1, 1.5, 1e300]],
  ['slots[0].requests[1].server', NAME, notStrings],
  ['slots[0].requests[1].transmissionSeconds', NON_NEGATIVE, [...notNumbers, -0.001]],
];

const shown = (value: unknown): string =>
  value === undefined ? 'missing' : typeof value === 'number' ? String(value) : JSON.stringify(value);

describe('parseScenario', () => {
  it('accepts the valid one, and one without `oversized`', () => {
    expect(parseScenario(valid(), FILE)).toEqual(valid());
    const without = withAt('oversized', undefined);
    expect(without).not.toHaveProperty('oversized');
    expect(parseScenario(without, FILE)).toStrictEqual(without);
  });

  const cases = refused.flatMap(([path, allowed, values]) =>
    values.map((value) => ({ path, allowed, value, text: shown(value) })),
  );
  it.each(cases)('refuses $path = $text', ({ path, allowed, value, text }) => {
    expect(complaint(path, value)).toMatch(startingWith(`${FILE}: ${path} is ${text}; allowed: ${allowed}`));
  });

  it.each(['', 'servers[0]', 'servers[1].decodeProfile[0]', 'slots[1]', 'slots[0].requests[1]'])(
    'refuses unknown keys in "%s"',
    (path) => {
      const where = path === '' ? 'sloTSeconds' : `${path}.sloTSeconds`;
      const hint = path === '' ? '; did you mean slotSeconds?' : '';
      expect(complaint(where, 7)).toBe(`${FILE}: ${where} is 7; allowed: no unknown keys${hint}`);
    },
  );

  it.each([
    ['servers[1].name', 'a', 'unique names (servers[0] has it)'],
    ['slots[0].requests[1].id', 'r1', 'unique ids (slots[0].requests[0] has it)'],
    ['slots[2].requests[0].id', 'r2', 'unique ids (slots[0].requests[1] has it)'],
    ['slots[2].requests[0].server', 'A', '"a", "b"'],
    ['slots[2].requests[0].server', 'constructor', '"a", "b"'],
  ])(
    'refuses a name or id that an earlier one has, and a server that there is not: %s = %s',
    (path, value, allowed) => {
      expect(complaint(path, value)).toBe(`${FILE}: ${path} is "${value}"; allowed: ${allowed}`);
    },
  );

  it('names the first of several faults and counts the others', () => {
    const scenario = withAt('slotSeconds', 0) as { kvBytesPerToken: number };
    expect(messageOf(() => parseScenario({ ...scenario, kvBytesPerToken: -1 }, FILE))).toBe(
      `${FILE}: slotSeconds is 0; allowed: ${POSITIVE} (and 1 more)`,
    );
  });
});

describe('parseJson', () => {
  const text = JSON.stringify(valid(), null, 2);

  it('reads JSON, with a byte order mark or without, with any line ends', () => {
    expect(parseJson(text, FILE)).toEqual(valid());
    expect(parseJson(`\uFEFF${text}`, FILE)).toEqual(valid());
    expect(parseJson(`\uFEFF${text.replaceAll('\n', '\r\n')}\r\n`, FILE)).toEqual(valid());
  });

  it.each(['', ' \n', '\uFEFF', '\uFEFF\r\n'])('says that a file of %j is empty', (empty) => {
    expect(messageOf(() => parseJson(empty, FILE))).toBe(`${FILE} is empty; allowed: JSON`);
  });

  it.each(['{', 'slotSeconds: 1', text.slice(0, -2), `${text},`, '\u0000'])(
    'says that broken text is no JSON',
    (broken) => {
      expect(messageOf(() => parseJson(broken, FILE))).toMatch(startingWith(`${FILE} is no valid JSON: `));
    },
  );
});

function startingWith(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
}
