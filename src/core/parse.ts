import { z } from 'zod';
import { UserError, show } from './errors';

/** `['servers', 1, 'name']` as a reader writes it: `servers[1].name`. */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${String(key)}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );
}

/** The value a path leads to, or undefined. */
function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (v, key) => (typeof v === 'object' && v !== null ? (v as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
}

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

/**
 * Checks a value against a schema whose messages say what is allowed.
 *
 * @param file what the message begins with: a file, or the name of a record.
 * @throws UserError with file, field, value and what is allowed; the first fault only, with the count of the others.
 */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown, file: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue, ...others] = result.error.issues;
  const more = others.length === 0 ? '' : ` (and ${String(others.length)} more)`;
  const path = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const within = at(value, issue.path);
    const known = path === '' && schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    const meant = known.find((name) => distance(key, name) <= 2);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new UserError(
      `${file}: ${path === '' ? '' : `${path}.`}${key} is ${show(at(within, [key]))}; allowed: no unknown keys${hint}${more}`,
    );
  }
  throw new UserError(
    `${file}: ${path === '' ? 'the whole' : path} is ${show(at(value, issue.path))}; allowed: ${issue.message}${more}`,
  );
}

/**
 * Parses JSON text; a byte order mark is dropped.
 *
 * @throws UserError when the text is empty or no JSON.
 */
export function parseJson(text: string, file: string): unknown {
  const body = text.replace(/^\uFEFF/, '');
  if (body.trim() === '') throw new UserError(`${file} is empty; allowed: JSON`);
  try {
    return JSON.parse(body) as unknown;
  } catch (error) {
    throw new UserError(`${file} is no valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
