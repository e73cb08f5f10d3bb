/**
 * npm test [-- NAME…]: set-up, then every check (or those whose names begin with one of NAME…), two at a time. Of a check
 * that fails the whole output is shown.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { SetupError, collect, inRoot, jupyterEnv, main, root, run, venvPython } from './common.mjs';
import { missing, setup } from './setup.mjs';

const bin = (path, ...args) => [process.execPath, inRoot('node_modules', path), ...args];
const script = (name, ...args) => [process.execPath, inRoot('scripts', name), ...args];
const python = (name, ...args) => [venvPython, inRoot('scripts', name), ...args];
const unit = (shard) => bin('vitest/vitest.mjs', 'run', `--shard=${shard}`, '--maxWorkers=1', '--reporter=tap-flat');

/** Commands that print a line per check, `ok …`, `FAIL …` (or `not ok …`), `SKIPPED …`; the long ones first. */
const SUITES = {
  'unit 1/2': unit('1/2'),
  'notebooks 1/2': python('notebooks.py', '--part', '1/2'),
  'unit 2/2': unit('2/2'),
  'notebooks 2/2': python('notebooks.py', '--part', '2/2'),
  e2e: script('e2e.mjs'),
  matrix: script('matrix-test.mjs'),
  kernel: python('kernel_test.py'),
  site: script('site-test.mjs'),
  'node-versions': script('node-versions.mjs', '22', '24'),
};
/** Commands that are one check each. */
const CHECKS = {
  lint: bin('eslint/bin/eslint.js', '.'),
  types: bin('typescript/bin/tsc', '--noEmit'),
  format: bin('prettier/bin/prettier.cjs', '--check', '.', '--log-level', 'warn'),
  'types-in-kernel': script('dts-check.cjs'),
};
const ALL = { ...SUITES, ...CHECKS };

main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !Object.keys(ALL).some((check) => check.startsWith(name)));
  if (unknown !== undefined)
    throw new SetupError(`npm test -- ${unknown}: no such check; allowed: ${Object.keys(ALL).join(', ')}`);
  try {
    await setup();
    await ensureChromium();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`\n${error.message}\n\n0 passed, 1 failed`);
    return 1;
  }
  const waiting = Object.keys(ALL).filter((name) => names.length === 0 || names.some((part) => name.startsWith(part)));
  let [passed, failed] = [0, 0];
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const began = performance.now();
      console.log(`… ${name}`);
      const { code, output } = await execute(ALL[name]);
      const result = name in SUITES ? countLines(code, output) : { good: Number(code === 0), bad: Number(code !== 0) };
      passed += result.good;
      failed += result.bad;
      if (result.bad > 0) console.log(`\n--- ${name}\n${output.trimEnd()}`);
      for (const [line] of output.matchAll(/^SKIPPED .*$/gm)) console.log(line);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`--- ${name}: ${result.good} passed, ${result.bad} failed (${seconds} s)`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
});

/** A suite that neither checked anything nor named its skipped checks has not passed. */
function countLines(code, output) {
  const count = (pattern) => output.match(pattern)?.length ?? 0;
  const [good, bad, skipped] = [count(/^ok /gm), count(/^(FAIL|not ok) /gm), count(/^SKIPPED /gm)];
  return { good, bad: bad === 0 && (code !== 0 || good + skipped === 0) ? 1 : bad };
}

/** Runs a command to its end: { code, output }. */
function execute([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: jupyterEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** Pictures and the browser test need Chromium; CI machines, where we are root, get it. */
async function ensureChromium() {
  const { findChromium } = createRequire(import.meta.url)('../dist/notebook/render.js');
  const isMissing = () => {
    try {
      return !findChromium();
    } catch (error) {
      if (process.env.CHROMIUM_PATH) throw new SetupError(error.message);
      return true;
    }
  };
  if (isMissing() && process.getuid?.() === 0 && collect('apt-get', ['--version']).code === 0) {
    console.log('lyreo set-up: Chromium through apt-get …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-qq'], { env });
    const options = ['-o=Dpkg::Use-Pty=0', 'install', '-y', '-qq', '--no-install-recommends'];
    await run('apt-get', [...options, 'chromium', 'fonts-dejavu-core'], { env });
  }
  if (isMissing()) throw new SetupError(missing(['chromium']));
}
