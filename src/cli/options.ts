import { decimalNumber } from '../core/csv';
import { invalid } from '../core/errors';

// Parsers of option values, for commander's `option(flags, text, parser)`: each complaint names option, value and what
// is allowed.

/** An integer within bounds. */
export function integerOption(name: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const x = decimalNumber(text);
    if (!Number.isInteger(x) || x < least || x > most)
      throw invalid(name, text, `an integer from ${String(least)} to ${String(most)}`);
    return x;
  };
}

/** A finite number that `accepts` takes. */
export function numberOption(name: string, allowed: string, accepts: (x: number) => boolean): (text: string) => number {
  return (text) => {
    const x = decimalNumber(text);
    if (!Number.isFinite(x) || !accepts(x)) throw invalid(name, text, allowed);
    return x;
  };
}

/** One of some words. */
export function wordOption<const T extends string>(name: string, words: readonly T[]): (text: string) => T {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw invalid(name, text, words.join(', '));
    return word;
  };
}

/** Words between commas. */
export function listOption(name: string): (text: string) => readonly string[] {
  return (text) => {
    const words = text.split(',').map((word) => word.trim());
    if (words.includes('')) throw invalid(name, text, 'names between commas');
    return words;
  };
}
