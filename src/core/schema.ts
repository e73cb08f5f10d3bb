import { z } from 'zod';

/** Checks of a value whose messages say what is allowed. */
export const positive: z.ZodType<number> = z.number('a finite number > 0').positive('a finite number > 0');
export const nonNegative: z.ZodType<number> = z.number('a finite number >= 0').nonnegative('a finite number >= 0');

/** A share that something leaves less than all, or some, of the whole. */
export const belowOne: z.ZodType<number> = z
  .number('a number in [0, 1)')
  .min(0, 'a number in [0, 1)')
  .lt(1, 'a number in [0, 1)');
export const aboveZero: z.ZodType<number> = z
  .number('a number in (0, 1]')
  .gt(0, 'a number in (0, 1]')
  .max(1, 'a number in (0, 1]');

export const text = (allowed: string): z.ZodType<string> => z.string(allowed).min(1, allowed);

export const between = (least: number, most: number): z.ZodType<number> => {
  const allowed = `a number from ${least} to ${most}`;
  return z.number(allowed).min(least, allowed).max(most, allowed);
};

/** @param allowed default: the two limits in words. */
export const integer = (
  least: number,
  most: number,
  allowed = `an integer from ${least} to ${most}`,
): z.ZodType<number> => z.int(allowed).min(least, allowed).max(most, allowed);

export const oneOf = <const T extends string>(...names: readonly T[]): z.ZodType<T> =>
  z.enum(names, names.map((name) => `"${name}"`).join(' or '));
