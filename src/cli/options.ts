import { type Command, Option } from 'commander';
import { z } from 'zod';
import { decimalNumber } from '../core/csv';
import { invalid } from '../core/errors';
import { integer } from '../core/schema';

/** The allowed values in the words of the command line: without quotes, and of a list the whole, not one of its parts. */
function allowedBy(schema: z.ZodType, issue: z.core.$ZodIssue): string {
  if (schema instanceof z.ZodEnum) return schema.options.join(', ');
  return (issue.path.length > 0 ? (schema.safeParse(null).error?.issues[0] ?? issue) : issue).message;
}

/** Text as a value of the schema's kind; text that is no number becomes NaN. */
function valueOf(schema: unknown, text: string): unknown {
  if (schema instanceof z.ZodOptional) return valueOf(schema.unwrap(), text);
  if (schema instanceof z.ZodNumber) return decimalNumber(text);
  const element =
    schema instanceof z.ZodArray ? schema.element : schema instanceof z.ZodTuple ? schema.def.items[0] : undefined;
  return element === undefined ? text : text.split(',').map((word) => valueOf(element, word.trim()));
}

/**
 * A reader of an option's text: a value of the schema's kind, numbers and words of a list between commas.
 *
 * @param name the beginning of an error.
 */
export function reader<T>(name: string, schema: z.ZodType<T>): (text: string) => T {
  return (text) => {
    const result = schema.safeParse(valueOf(schema, text));
    if (result.success) return result.data;
    throw invalid(name, text, allowedBy(schema, result.error.issues[0]));
  };
}

export function option<T>(flags: string, description: string, schema: z.ZodType<T>, standard?: NoInfer<T>): Option {
  const made = new Option(flags, description);
  made.argParser(reader(made.long ?? flags, schema));
  return standard === undefined ? made : made.default(standard);
}

export const names: z.ZodType<readonly string[]> = z.array(z.string().min(1), 'names between commas');

export const seeds: z.ZodType<number> = integer(0, 2 ** 32 - 1);

/** `name=value` as [name, value]. */
export function assignment(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at <= 0) throw invalid('--set', text, 'name=value');
  return [text.slice(0, at), text.slice(at + 1)];
}

export function addProgressOptions(command: Command): Command {
  return command
    .option('--progress', 'show progress on stderr even when it is no terminal')
    .option('--no-progress', 'show no progress');
}
