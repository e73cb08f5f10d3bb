import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../core/errors';
import { withFile } from '../core/files';
import type { SystemConfig } from './config';
import { lengthsPath } from './trace';

/** The fields of a configuration that name a file. */
type FileField = 'gpuProfilesFile' | 'lengthsFile';

/** SHA-256 of the content of each file that a configuration names, by field, in hexadecimal digits. */
export type FileHashes = Readonly<Partial<Record<FileField, string>>>;

/** The absolute path of each file that a configuration names, by field. */
function configFiles(config: Partial<SystemConfig>): (readonly [FileField, string])[] {
  return (['gpuProfilesFile', 'lengthsFile'] as const).flatMap((field) => {
    const path = config[field];
    return path === undefined ? [] : [[field, resolve(field === 'lengthsFile' ? lengthsPath(path) : path)] as const];
  });
}

/**
 * The hashes of the files that a configuration names, as the files are now.
 *
 * @throws UserError when one cannot be read.
 */
export function fileHashes(config: Partial<SystemConfig>): FileHashes {
  return Object.fromEntries(configFiles(config).map(([field, path]) => [field, hashOf(path)]));
}

/**
 * Compares the files that a configuration names with their content of earlier.
 *
 * @param earlier the hashes of then.
 * @param maker what was made then, for the message.
 * @param asked a second configuration: a file that it does not name is not compared.
 * @throws UserError naming the first file with other content.
 */
export function checkSameFiles(
  config: SystemConfig,
  earlier: FileHashes,
  maker: string,
  asked: SystemConfig = config,
): void {
  const named = configFiles(asked).map((file) => file.join());
  for (const [field, path] of configFiles(config).filter((file) => named.includes(file.join()))) {
    const hash = hashOf(path);
    if (hash !== earlier[field])
      throw new UserError(
        `${field} ${path} has other content (sha256 ${hash.slice(0, 12)}) than when ${maker} was begun; allowed: the same content (sha256 ${earlier[field]?.slice(0, 12) ?? 'unknown'}), or to accept changed files (--accept-changed-files, acceptChangedFiles)`,
      );
  }
}

function hashOf(path: string): string {
  return createHash('sha256')
    .update(withFile(path, 'read', () => readFileSync(path)))
    .digest('hex');
}
