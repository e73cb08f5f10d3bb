import { createHash } from 'node:crypto';
import { writeFileAtomic } from '../core/atomic';
import { UserError } from '../core/errors';
import { readTextFile } from '../core/files';
import type { State, StateArray } from './state';

/** Facts and numbers in one file. */
export interface ArrayFile {
  /** Anything that JSON holds, and ±∞. */
  readonly facts: unknown;
  readonly arrays: State;
}

/** An array in JSON: its little-endian bytes in base64. */
interface StoredArray {
  readonly bits: 32 | 64;
  readonly base64: string;
}

interface Content {
  readonly facts: unknown;
  readonly arrays: Readonly<Record<string, StoredArray>>;
}

/** Each file begins with this; the rest is `HASH","content":{"facts":…,"arrays":…}}`. */
const BEGIN = '{"sha256":"';

/** Writes JSON with the SHA-256 of its content; the file is whole or as it was before. */
export function writeArrayFile(path: string, { facts, arrays }: ArrayFile): void {
  const stored = Object.entries(arrays).map(([name, array]): [string, StoredArray] => [name, storedArray(array)]);
  const content: Content = { facts, arrays: Object.fromEntries(stored) };
  const text = JSON.stringify(content, writeInfinity);
  writeFileAtomic(path, `${BEGIN}${sha256(text)}","content":${text}}`);
}

/**
 * Reads a file that {@link writeArrayFile} wrote.
 *
 * @throws UserError when there is none, or it is something else, cut short or damaged.
 */
export function readArrayFile(path: string): ArrayFile {
  const file = readTextFile(path);
  if (!file.startsWith(BEGIN))
    throw new UserError(`${path} is no file of lyreo's; allowed: a checkpoint or policy that this version can read`);
  const text = soundContent(file);
  if (text === undefined)
    throw new UserError(`${path} is damaged or cut short: its checksum does not agree; allowed: a whole file`);
  const { facts, arrays } = JSON.parse(text, readInfinity) as Content;
  return {
    facts,
    arrays: Object.fromEntries(Object.entries(arrays).map(([name, stored]) => [name, arrayFrom(stored)])),
  };
}

/** The text of the content, if its hash is the one that the file names. */
function soundContent(file: string): string | undefined {
  const hash = file.slice(BEGIN.length, BEGIN.length + 64);
  const between = '","content":';
  const begin = BEGIN.length + hash.length;
  const text = file.slice(begin + between.length, -1);
  const isWhole = file.startsWith(between, begin) && file.endsWith('}') && sha256(text) === hash;
  return isWhole ? text : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function storedArray(array: StateArray): StoredArray {
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return { bits: array.BYTES_PER_ELEMENT === 4 ? 32 : 64, base64: bytes.toString('base64') };
}

function arrayFrom({ bits, base64 }: StoredArray): StateArray {
  // A copy, so that the array begins where its elements may begin.
  const { buffer } = Uint8Array.from(Buffer.from(base64, 'base64'));
  return bits === 32 ? new Float32Array(buffer) : new Float64Array(buffer);
}

function writeInfinity(_key: string, value: unknown): unknown {
  return value === Infinity ? 'Infinity' : value === -Infinity ? '-Infinity' : value;
}

function readInfinity(_key: string, value: unknown): unknown {
  return value === 'Infinity' ? Infinity : value === '-Infinity' ? -Infinity : value;
}
