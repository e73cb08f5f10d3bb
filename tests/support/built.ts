import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const cli = join(root, 'dist', 'cli.js');

function newestSource(): number {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const built = files.filter((file) => file.endsWith('.ts') && !file.includes('.test.'));
  return Math.max(...built.map((file) => statSync(join(root, 'src', file)).mtimeMs));
}

/** The built command line, dist/cli.js; built anew when a source is younger. */
export function builtCli(): string {
  if (existsSync(cli) && statSync(cli).mtimeMs >= newestSource()) return cli;
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  // The type check reports type errors; here it is enough that files were written.
  spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { cwd: root });
  return cli;
}
