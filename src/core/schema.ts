import { z } from 'zod';

/** A finite number; every message names the allowed values. */
const number = (allowed: string, accepts: (x: number) => boolean): z.ZodType<number> =>
  z.number(allowed).refine(accepts, allowed);

export const positive: z.ZodType<number> = number('a finite number > 0', (x) => x > 0);
export const nonNegative: z.ZodType<number> = number('a finite number >= 0', (x) => x >= 0);
export const belowOne: z.ZodType<number> = number('a number in [0, 1)', (x) => x >= 0 && x < 1);
export const aboveZero: z.ZodType<number> = number('a number in (0, 1]', (x) => x > 0 && x <= 1);

export const text = (allowed: string): z.ZodType<string> => z.string(allowed).min(1, allowed);

export const between = (least: number, most: number): z.ZodType<number> =>
  number(`a number from ${least} to ${most}`, (x) => x >= least && x <= most);

/** @param allowed default: the two limits in words. */
export const integer = (
  least: number,
  most: number,
  allowed = `an integer from ${least} to ${most}`,
): z.ZodType<number> => z.int(allowed).min(least, allowed).max(most, allowed);

export const oneOf = <const T extends string>(...names: readonly T[]): z.ZodType<T> =>
  z.enum(names, names.map((name) => `"${name}"`).join(' or '));
