/**
 * A mistake in the user's input: a file, a field, an option.
 * The command line prints its message alone and exits with code 2; nothing has been written.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** Formats an offending value so that it fits on one line of an error message. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  // JSON would make null of NaN and ∞, and nothing of a function.
  const text = typeof value === 'object' || typeof value === 'string' ? JSON.stringify(value) : `${value as number}`;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The one form of every complaint: the place, the value found there and the allowed values. */
export function invalid(where: string, value: unknown, allowed: string): UserError {
  return new UserError(`${where} is ${show(value)}; allowed: ${allowed}`);
}
