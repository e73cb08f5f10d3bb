import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { writeFileAtomic } from '../core/atomic';
import { UserError } from '../core/errors';
import { fileFault } from '../core/files';
import type { State, StateArray } from './state';

/** Facts and numbers in one file. */
export interface ArrayFile {
  /** Anything that JSON holds, and ±∞. */
  readonly facts: unknown;
  readonly arrays: State;
}

// The layout, little-endian throughout:
//   0   "lyreo", CR LF, Ctrl-Z: a transfer as text breaks it, and the checksum is not needed to tell
//   8   uint32  version of this layout
//   12  uint32  bytes of the header
//   16  SHA-256 of all the rest
//   48  header: JSON {facts, arrays: [{name, bits, length}]}, filled up with spaces to a multiple of 8
//   …   the arrays in the header's order, each filled up to a multiple of 8
const MAGIC = Buffer.from('lyreo\r\n\x1a', 'latin1');
const LAYOUT = 1;
const CHECKSUM_AT = 16;
const HEADER_AT = 48;

interface Entry {
  readonly name: string;
  readonly bits: 32 | 64;
  readonly length: number;
}

/** Writes a file whole, or leaves what was there. */
export function writeArrayFile(path: string, { facts, arrays }: ArrayFile): void {
  const entries = Object.entries(arrays).map(([name, { length, BYTES_PER_ELEMENT }]): Entry => ({
    name,
    bits: BYTES_PER_ELEMENT === 4 ? 32 : 64,
    length,
  }));
  const header = padded(Buffer.from(JSON.stringify({ facts, arrays: entries }, writeInfinity)), ' ');
  const body = Buffer.concat([header, ...Object.values(arrays).map((array) => padded(bytesOf(array), '\0'))]);
  const front = Buffer.alloc(HEADER_AT);
  MAGIC.copy(front);
  front.writeUInt32LE(LAYOUT, 8);
  front.writeUInt32LE(header.length, 12);
  checksum(front, body).copy(front, CHECKSUM_AT);
  writeFileAtomic(path, Buffer.concat([front, body]));
}

/**
 * Reads a file that {@link writeArrayFile} wrote.
 *
 * @throws UserError when there is none, or it is something else, of a later layout, cut short or damaged.
 */
export function readArrayFile(path: string): ArrayFile {
  const file = readBytes(path);
  if (file.length < HEADER_AT || !file.subarray(0, MAGIC.length).equals(MAGIC))
    throw new UserError(`${path} is no file of lyreo's; allowed: a checkpoint or policy that lyreo wrote`);
  const layout = file.readUInt32LE(8);
  if (layout !== LAYOUT)
    throw new UserError(`${path} has layout ${layout}; allowed: ${LAYOUT}, the one this version of lyreo reads`);
  const body = file.subarray(HEADER_AT);
  if (!checksum(file, body).equals(file.subarray(CHECKSUM_AT, HEADER_AT)))
    throw new UserError(`${path} is damaged or cut short: its checksum does not agree; allowed: a whole file`);
  const headerBytes = file.readUInt32LE(12);
  const header = JSON.parse(body.toString('utf8', 0, headerBytes), readInfinity) as { facts: unknown; arrays: Entry[] };
  let at = headerBytes;
  const arrays: Record<string, StateArray> = {};
  for (const { name, bits, length } of header.arrays) {
    const bytes = (length * bits) / 8;
    arrays[name] = arrayFrom(body.subarray(at, at + bytes), bits);
    at += roundedUp(bytes);
  }
  return { facts: header.facts, arrays };
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw fileFault(path, error);
  }
}

function checksum(front: Buffer, body: Buffer): Buffer {
  return createHash('sha256').update(front.subarray(0, CHECKSUM_AT)).update(body).digest();
}

function roundedUp(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function padded(bytes: Buffer, filler: string): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(roundedUp(bytes.length) - bytes.length, filler)]);
}

function bytesOf(array: StateArray): Buffer {
  return swapped(
    Buffer.from(array.buffer, array.byteOffset, array.byteLength),
    array.BYTES_PER_ELEMENT === 4 ? 32 : 64,
  );
}

function arrayFrom(bytes: Buffer, bits: 32 | 64): StateArray {
  // A copy, so that the array begins where its elements may begin.
  const { buffer } = Uint8Array.from(swapped(bytes, bits));
  return bits === 32 ? new Float32Array(buffer) : new Float64Array(buffer);
}

/** Little-endian bytes to this machine's order, or back. */
function swapped(bytes: Buffer, bits: 32 | 64): Buffer {
  if (endianness() === 'LE') return bytes;
  const copy = Buffer.from(bytes);
  return bits === 32 ? copy.swap32() : copy.swap64();
}

function writeInfinity(_key: string, value: unknown): unknown {
  return value === Infinity ? 'Infinity' : value === -Infinity ? '-Infinity' : value;
}

function readInfinity(_key: string, value: unknown): unknown {
  return value === 'Infinity' ? Infinity : value === '-Infinity' ? -Infinity : value;
}
