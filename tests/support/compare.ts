import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Scenario, parseScenarioText } from '../../src/system/scenario';

/** The bar of the scenario format: 1e-9 relative, absolute below 1. */
export const TOLERANCE = 1e-9;

/**
 * The differences of two results: one line per place, empty when they agree.
 * Numbers may be `tolerance` apart (relative above 1, absolute below); all else must be equal.
 */
export function differences(actual: unknown, expected: unknown, tolerance: number = TOLERANCE): string[] {
  if (typeof actual === 'number' && typeof expected === 'number') {
    const apart = Math.abs(actual - expected);
    return apart <= tolerance * Math.max(1, Math.abs(expected))
      ? []
      : [`: ${String(actual)} instead of ${String(expected)}`];
  }
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null) {
    return Object.is(actual, expected) ? [] : [`: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
  }
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length !== expected.length) {
    return [`: ${String(actual.length)} entries instead of ${String(expected.length)}`];
  }
  const found: string[] = [];
  for (const key of new Set([...Object.keys(actual), ...Object.keys(expected)])) {
    const inside = differences(
      (actual as Record<string, unknown>)[key],
      (expected as Record<string, unknown>)[key],
      tolerance,
    );
    for (const difference of inside) found.push(`.${key}${difference}`);
  }
  return found;
}

/** A shared scenario and what an independent program made of it. */
export interface Golden {
  readonly name: string;
  readonly scenario: Scenario;
  readonly expected: unknown;
}

/** The shared scenarios beside this file, by name. */
export function goldens(): Golden[] {
  const folder = join(__dirname, '..', 'scenarios');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.endsWith('.expected.json'))
    .sort()
    .map((file) => ({
      name: file.slice(0, -'.json'.length),
      scenario: parseScenarioText(readFileSync(join(folder, file), 'utf8'), file),
      expected: JSON.parse(readFileSync(join(folder, file.replace(/\.json$/, '.expected.json')), 'utf8')) as unknown,
    }));
}
