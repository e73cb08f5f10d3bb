import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

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

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The built command line in a folder of its own, which goes with the test file. */
export interface CommandLine {
  readonly folder: string;
  /** A path in the folder. */
  readonly at: (...names: string[]) => string;
  readonly run: (args: readonly string[], input?: string, env?: NodeJS.ProcessEnv) => Ended;
  readonly start: (args: readonly string[], env?: NodeJS.ProcessEnv) => ChildProcessWithoutNullStreams;
}

/** Call it at the head of a test file. */
export function commandLine(): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'lyreo-cli-'));
  beforeAll(() => {
    builtCli();
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const options = (env?: NodeJS.ProcessEnv): { cwd: string; env: NodeJS.ProcessEnv } => ({
    cwd: folder,
    env: { ...process.env, ...env },
  });
  return {
    folder,
    at: (...names) => join(folder, ...names),
    run: (args, input, env) => {
      const given = { ...options(env), ...(input === undefined ? {} : { input }) };
      const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
        ...given,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      });
      return { code: status, out: stdout, err: stderr };
    },
    start: (args, env) => spawn(process.execPath, [cli, ...args], options(env)),
  };
}
