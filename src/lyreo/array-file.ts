import { createHash } from 'node:crypto';
import { writeFileAtomic } from '../core/atomic';
import { UserError } from '../core/errors';
import { readTextFile } from '../core/files';

/** ±∞, which JSON lacks, as text, and arrays as little-endian bytes in base64. */
function encode(_key: string, value: unknown): unknown {
  if (value === Infinity || value === -Infinity) return String(value);
  if (!(value instanceof Float32Array || value instanceof Float64Array)) return value;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { bits: 8 * value.BYTES_PER_ELEMENT, base64: bytes.toString('base64') };
}

function decode(_key: string, value: unknown): unknown {
  if (value === 'Infinity' || value === '-Infinity') return Number(value);
  if (typeof value !== 'object' || value === null || !('base64' in value && 'bits' in value)) return value;
  // A copy, so that the array begins where its elements may begin.
  const { buffer } = Uint8Array.from(Buffer.from(String(value.base64), 'base64'));
  return value.bits === 32 ? new Float32Array(buffer) : new Float64Array(buffer);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Writes facts and typed arrays as a line of JSON after a line with its SHA-256; the file is whole or as it was before. */
export function writeArrayFile(path: string, content: object): void {
  const text = JSON.stringify(content, encode);
  writeFileAtomic(path, `${sha256(text)}\n${text}`);
}

/** @throws UserError when the file does not exist, was not written by {@link writeArrayFile}, or is cut short or changed. */
export function readArrayFile(path: string): object {
  const [hash, text = ''] = readTextFile(path).split('\n', 2);
  if (hash === sha256(text)) return JSON.parse(text, decode) as object;
  throw new UserError(`${path} is no file of lyreo's, or cut short, or changed; allowed: a whole checkpoint or policy`);
}
