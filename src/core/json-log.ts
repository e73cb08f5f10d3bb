import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomic } from './atomic';
import { UserError } from './errors';
import { makeFolder, readTextFile } from './files';
import { parseJson } from './parse';

/** Results of one kind of work, as a file: a first line that tells the work, then one JSON value per result. */
export interface JsonLog<Line> {
  readonly header: string;
  readonly lines: readonly Line[];
}

/** Reads a log that we wrote ourselves; its values are not checked. */
export function readJsonLog<Line>(path: string): JsonLog<Line> {
  const [header, ...lines] = readTextFile(path).split('\n').filter(Boolean);
  return { header, lines: lines.map((line) => parseJson(line, path) as Line) };
}

/**
 * The results with which work continues; none when there is no log yet.
 *
 * @param otherwise the log's work when its header differs, and the allowed work; the end of the error.
 */
export function resumeJsonLog<Line>(path: string, header: string, otherwise: string): Line[] {
  const log = existsSync(path) ? readJsonLog<Line>(path) : { header, lines: [] };
  if (log.header !== header) throw new UserError(`${path} is the log of ${otherwise}`);
  return [...log.lines];
}

/** Writes a log as a whole, atomically, and makes the folders above it. */
export function writeJsonLog<Line>(path: string, { header, lines }: JsonLog<Line>): void {
  makeFolder(dirname(path));
  writeFileAtomic(path, [header, ...lines.map((line) => JSON.stringify(line)), ''].join('\n'));
}
