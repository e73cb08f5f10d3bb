/**
 * A mistake in what the user handed in: a file, a field, an option.
 * The command line prints its message alone and exits with code 2; nothing has been written.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** Formats an offending value so that it fits on one line of an error message. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The one form of every complaint: where it stands, what was found there and what is allowed. */
export function invalid(where: string, value: unknown, allowed: string): UserError {
  return new UserError(`${where} is ${show(value)}; allowed: ${allowed}`);
}
