/** Shared parts of the scripts: the project's folders and the start of a command. Node built-ins only. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const inRoot = (...parts) => join(root, ...parts);
export const cache = (...parts) => inRoot('.cache', ...parts);
export const venvPython = inRoot('.venv', 'bin', 'python');

/** An error of the user's machine, not of this code: shown without a stack. */
export class SetupError extends Error {}

/** Runs the scripts' main functions: readable errors, exit code 1. */
export function main(run) {
  run().then(
    (code) => process.exit(code ?? 0),
    (error) => {
      console.error(error instanceof SetupError ? `\n${error.message}\n` : error);
      process.exit(1);
    },
  );
}

/** Runs a command with its output shown; resolves to its exit code (128 + n after a signal). */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.on('error', (error) => {
      if (error.name === 'AbortError') return; // ended on purpose: 'close' follows
      reject(new SetupError(`${command} cannot be started: ${error.message}`));
    });
    child.on('close', (code) => resolve(code ?? 130));
  });
}

/** Runs a command and collects its output: { code, output }. */
export function collect(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  return { code: done.status ?? 1, output: `${done.stdout ?? ''}${done.stderr ?? ''}` };
}

/** The Chromium that draws the pictures of figures, for checks; it needs the set-up. */
export async function launchBrowser() {
  const { findChromium } = createRequire(import.meta.url)('../dist/notebook/render.js');
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
}

/** Prints `ok name` or `FAIL name: why` per check, a function that returns a problem or undefined. */
export function reporter() {
  let failed = 0;
  const tell = async (name, check) => {
    const problem = await Promise.resolve(check()).catch((error) => error.message);
    if (problem) failed++;
    console.log(problem ? `FAIL ${name}: ${problem}` : `ok ${name}`);
  };
  return { tell, exitCode: () => (failed > 0 ? 1 : 0) };
}

/** npm as it was called, or the one in the path. */
export function npm(args, options) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') && existsSync(cli)
    ? run(process.execPath, [cli, ...args], options)
    : run('npm', args, options);
}

/** Jupyter keeps its configuration, data and sockets inside the project, not in the home folder. */
export function jupyterEnv() {
  const folder = inRoot('.jupyter');
  mkdirSync(join(folder, 'ipython'), { recursive: true });
  return {
    ...process.env,
    JUPYTER_CONFIG_DIR: join(folder, 'config'),
    JUPYTER_DATA_DIR: join(folder, 'data'),
    JUPYTER_RUNTIME_DIR: join(folder, 'runtime'),
    JUPYTERLAB_SETTINGS_DIR: join(folder, 'lab', 'settings'),
    JUPYTERLAB_WORKSPACES_DIR: join(folder, 'lab', 'workspaces'),
    IPYTHONDIR: join(folder, 'ipython'),
    JUPYTER_PLATFORM_DIRS: '1',
  };
}
