import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../core/errors';
import { withFile } from '../core/files';
import type { SystemConfig } from './config';
import { lengthsPath } from './trace';

/** The fields of a configuration that name a file. */
const fields = ['gpuProfilesFile', 'lengthsFile'] as const;

/** SHA-256 of the content of each file that a configuration names, by field, in hexadecimal digits. */
export type FileHashes = Readonly<Partial<Record<(typeof fields)[number], string>>>;

/** The absolute path of the file that a field of a configuration names. */
function pathOf(config: Partial<SystemConfig>, field: keyof FileHashes): string | undefined {
  const path = config[field];
  return path === undefined ? undefined : resolve(field === 'lengthsFile' ? lengthsPath(path) : path);
}

function hashOf(path: string): string {
  const content = withFile(path, 'read', () => readFileSync(path));
  return createHash('sha256').update(content).digest('hex');
}

/** The hashes of the files that a configuration names, as the files are now. */
export function fileHashes(config: Partial<SystemConfig>): FileHashes {
  const paths = fields.map((field) => [field, pathOf(config, field)] as const);
  return Object.fromEntries(paths.flatMap(([field, path]) => (path === undefined ? [] : [[field, hashOf(path)]])));
}

/**
 * Compares the files that a configuration names with their content of earlier.
 *
 * @param maker the thing that was made then, for the message.
 * @param asked a second configuration: a file that it does not name is not compared.
 * @throws UserError naming the first file with other content.
 */
export function checkSameFiles(
  config: SystemConfig,
  earlier: FileHashes,
  maker: string,
  asked: SystemConfig = config,
): void {
  for (const field of fields) {
    const path = pathOf(config, field);
    if (path === undefined || path !== pathOf(asked, field)) continue;
    const [now, then = 'unknown'] = [hashOf(path), earlier[field]];
    if (now !== then)
      throw new UserError(
        `${field} ${path} has other content (sha256 ${now.slice(0, 12)}) than when ${maker} was begun; allowed: the same content (sha256 ${then.slice(0, 12)}), or to accept changed files (--accept-changed-files, acceptChangedFiles)`,
      );
  }
}
