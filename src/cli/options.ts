import { type Command, Option } from 'commander';
import { z } from 'zod';
import { decimalNumber } from '../core/csv';
import { invalid } from '../core/errors';
import { integer } from '../core/schema';

/** The options of a command by name; check, default and sentence of each are its schema's. */
export type Flags = Readonly<Record<string, z.ZodType>>;

export type Values<F extends Flags> = { readonly [Name in keyof F]: z.infer<F[Name]> };

export const toggle: z.ZodOptional<z.ZodBoolean> = z.boolean().optional();

/** Its default depends on the terminal: it can be wanted and not wanted. */
export const progress: z.ZodOptional<z.ZodBoolean> = toggle.describe(
  'show progress on stderr even when it is no terminal',
);

export const seeds: z.ZodType<number> = integer(0, 2 ** 32 - 1);

/** An option whose value is text; `noun` stands for it in the help. */
export function word(noun: string, description: string): z.ZodOptional<z.ZodString> {
  return z.string().optional().meta({ title: noun, description });
}

export function addFlags(command: Command, flags: Flags): Command {
  for (const [name, schema] of Object.entries(flags)) {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const kind = withoutDefault(schema);
    const noun = kind instanceof z.ZodNumber ? 'n' : kind instanceof z.ZodEnum ? 'name' : 'value';
    const isToggle = kind instanceof z.ZodBoolean;
    const option = new Option(isToggle ? flag : `${flag} <${schema.meta()?.title ?? noun}>`, schema.description);
    if (!isToggle) option.argParser(reader(flag, schema));
    const standard = schema.safeParse(undefined).data;
    command.addOption(standard === undefined ? option : option.default(standard));
    if (schema === progress) command.option('--no-progress', 'show no progress');
  }
  return command;
}

/** A reader of an option's text, with numbers and words of a list between commas; errors begin with the name. */
export function reader<T>(name: string, schema: z.ZodType<T>): (text: string) => T {
  return (text) => {
    const result = schema.safeParse(valueOf(schema, text));
    if (result.success) return result.data;
    throw invalid(name, text, allowedBy(schema, result.error.issues[0]));
  };
}

function withoutDefault(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? withoutDefault(schema.unwrap()) : schema;
}

/** Text as a value of the schema's kind; text that is no number becomes NaN. */
function valueOf(schema: unknown, text: string): unknown {
  const kind = withoutDefault(schema);
  if (kind instanceof z.ZodNumber) return decimalNumber(text);
  const element =
    kind instanceof z.ZodArray ? kind.element : kind instanceof z.ZodTuple ? kind.def.items[0] : undefined;
  return element === undefined ? text : text.split(',').map((part) => valueOf(element, part.trim()));
}

/** The allowed values in the words of the command line: without quotes, and of a list the whole, not one of its parts. */
function allowedBy(schema: z.ZodType, issue: z.core.$ZodIssue): string {
  const kind = withoutDefault(schema);
  if (kind instanceof z.ZodEnum) return kind.options.join(', ');
  return (issue.path.length > 0 ? (schema.safeParse(null).error?.issues[0] ?? issue) : issue).message;
}
