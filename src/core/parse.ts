import { z } from 'zod';
import { UserError, invalid } from './errors';

/** Letters to insert, delete or replace to make one word of another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (a[i].toLowerCase() === b[j].toLowerCase() ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}

/** `; did you mean users?` where a known name is the nearest, at most two letters from the word; otherwise nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const nearest = Math.min(...known.map((name) => distance(word, name)));
  const name = nearest > 2 ? undefined : known.find((each) => distance(word, each) === nearest);
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/**
 * Checks a value against a schema whose messages name the allowed values.
 *
 * @throws UserError with file, field, value and the allowed values; the first fault only, with the count of the others.
 */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const { data, error } = schema.safeParse(value, { reportInput: true });
  if (error === undefined) return data;
  const [issue, ...others] = error.issues;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const complaint = (path: readonly PropertyKey[], found: unknown, allowed: string): UserError =>
    invalid(`${file}: ${path.length === 0 ? 'the whole' : z.core.toDotPath(path)}`, found, `${allowed}${more}`);
  if (issue.code !== 'unrecognized_keys') throw complaint(issue.path, issue.input, issue.message);
  const [key] = issue.keys;
  const known = issue.path.length === 0 && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const found: unknown = (issue.input as unknown as Record<string, unknown>)[key];
  throw complaint([...issue.path, key], found, `no unknown keys${suggestion(key, known)}`);
}

/** Parses JSON text; a byte order mark is dropped. Empty text and text that is no JSON is a UserError. */
export function parseJson(text: string, file: string): unknown {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') throw new UserError(`${file} is empty; allowed: JSON`);
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw new UserError(`${file} is no valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
