import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Scenario, parseScenario } from '../../src/system/scenario';

/** The bar of the scenario format: 1e-9 relative, absolute below 1. */
export const TOLERANCE = 1e-9;

/**
 * The differences of two results: one line per place, empty when they agree.
 * Numbers may be TOLERANCE apart (relative above 1, absolute below); all else must be equal.
 */
export function differences(actual: unknown, expected: unknown): string[] {
  const instead = (a: string, b: string): string[] => [`: ${a} instead of ${b}`];
  if (typeof actual === 'number' && typeof expected === 'number') {
    const isClose = Math.abs(actual - expected) <= TOLERANCE * Math.max(1, Math.abs(expected));
    return isClose ? [] : instead(String(actual), String(expected));
  }
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null)
    return Object.is(actual, expected) ? [] : instead(JSON.stringify(actual), JSON.stringify(expected));
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length !== expected.length)
    return instead(`${String(actual.length)} entries`, String(expected.length));
  const [a, b] = [actual, expected] as Record<string, unknown>[];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differences(a[key], b[key]).map((difference) => `.${key}${difference}`),
  );
}

/** The shared scenarios in tests/scenarios/, and what an independent program made of each. */
export function goldens(): { name: string; scenario: Scenario; expected: unknown }[] {
  const folder = join(__dirname, '..', 'scenarios');
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const names = readdirSync(folder).flatMap((file) => /^(.*(?<!\.expected))\.json$/.exec(file)?.[1] ?? []);
  return names.sort().map((name) => ({
    name,
    scenario: parseScenario(read(`${name}.json`), name),
    expected: read(`${name}.expected.json`),
  }));
}
