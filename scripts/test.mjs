/**
 * npm test [-- NAME…]: set-up, then every check (or those whose names begin with one of NAME…), two at a time, then the
 * ten slowest and the total.
 */
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { SetupError, cache, collect, inRoot, jupyterEnv, main, root, run, venvPython } from './common.mjs';
import { missing, setup } from './setup.mjs';

const bin = (...parts) => inRoot('node_modules', ...parts);
const script = (name, ...args) => [process.execPath, inRoot('scripts', name), ...args];
const python = (name, ...args) => [venvPython, inRoot('scripts', name), ...args];

/** The long ones first, so that both cores have work to the end. */
const CHECKS = [
  { name: 'unit 1/2', run: () => unitTests('1/2') },
  { name: 'notebooks 1/2', run: () => byLine('notebooks 1/2', python('notebooks.py', '--part', '1/2')) },
  { name: 'unit 2/2', run: () => unitTests('2/2') },
  { name: 'notebooks 2/2', run: () => byLine('notebooks 2/2', python('notebooks.py', '--part', '2/2')) },
  { name: 'e2e', run: () => byLine('e2e', script('e2e.mjs')) },
  { name: 'matrix', run: () => byLine('matrix', script('matrix-test.mjs')) },
  { name: 'kernel', run: () => byLine('kernel', python('kernel_test.py')) },
  { name: 'site', run: () => byLine('site', script('site-test.mjs')) },
  { name: 'node-versions', run: () => byLine('node-versions', script('node-versions.mjs', '22', '24')) },
  { name: 'lint', run: () => whole([process.execPath, bin('eslint', 'bin', 'eslint.js'), '.']) },
  { name: 'types', run: () => whole([process.execPath, bin('typescript', 'bin', 'tsc'), '--noEmit']) },
  {
    name: 'format',
    run: () => whole([process.execPath, bin('prettier', 'bin', 'prettier.cjs'), '--check', '.', '--log-level', 'warn']),
  },
  { name: 'types-in-kernel', run: () => whole([process.execPath, inRoot('scripts', 'dts-check.cjs')]) },
];

main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !CHECKS.some((check) => check.name.startsWith(name)));
  if (unknown !== undefined) {
    console.log(`npm test -- ${unknown}: no such check; allowed: ${CHECKS.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const startAt = performance.now();
  try {
    await setup();
    await ensureChromium();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`\n${error.message}\n\n0 passed, 1 failed`);
    return 1;
  }
  const waiting = CHECKS.filter(({ name }) => names.length === 0 || names.some((begin) => name.startsWith(begin)));
  const results = [];
  const lane = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const began = performance.now();
      console.log(`… ${check.name}`);
      const result = await check.run();
      const seconds = (performance.now() - began) / 1000;
      const count = `${result.passed} passed, ${result.failed} failed (${seconds.toFixed(1)} s)`;
      console.log(`\n--- ${check.name}\n${result.output.trimEnd()}\n--- ${check.name}: ${count}`);
      results.push({ ...result, timed: result.timed ?? [{ name: check.name, seconds }] });
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane));
  const slowest = results.flatMap(({ timed }) => timed).sort((a, b) => b.seconds - a.seconds);
  console.log('\nThe ten slowest:');
  for (const { name, seconds } of slowest.slice(0, 10)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
  console.log(`All checks, set-up included: ${((performance.now() - startAt) / 60_000).toFixed(1)} min`);
  const sum = (field) => results.reduce((total, result) => total + result[field], 0);
  const [passed, failed] = [sum('passed'), sum('failed')];
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
});

/** Runs a command to its end; `onLine` hears of every line of its standard output. */
function execute([command, ...args], onLine = () => {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: jupyterEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let rest = '';
    child.stdout.on('data', (data) => {
      output += data;
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      lines.forEach(onLine);
    });
    child.stderr.on('data', (data) => (output += data));
    child.on('error', reject);
    child.on('close', (code) => {
      if (rest !== '') onLine(rest);
      resolve({ code, output });
    });
  });
}

/** A command that counts as one check. */
async function whole(command) {
  const { code, output } = await execute(command);
  return { output, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
}

/** A command that prints `ok …` or `FAIL …` per check. */
async function byLine(name, command) {
  const timed = [];
  let began = performance.now();
  let skipped = 0;
  const { code, output } = await execute(command, (line) => {
    const [, word, what] = /^(ok|FAIL|SKIPPED) (.*)/.exec(line) ?? [];
    if (word === undefined) return;
    if (word === 'SKIPPED') skipped++;
    else timed.push({ name: `${name}: ${what.slice(0, 80)}`, seconds: (performance.now() - began) / 1000, word });
    began = performance.now();
  });
  const passed = timed.filter(({ word }) => word === 'ok').length;
  const failed = timed.length - passed;
  // A suite that neither checked anything nor said what it skips has not passed.
  const isBroken = failed === 0 && (code !== 0 || (passed === 0 && skipped === 0));
  return { output, passed, failed: isBroken ? 1 : failed, timed };
}

/** Half of the unit tests, in one process at a time. */
async function unitTests(shard) {
  const report = cache(`vitest-${shard.replace('/', '-')}.json`);
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const options = ['run', `--shard=${shard}`, '--maxWorkers=1', '--no-color', ...reporters];
  const { code, output } = await execute([process.execPath, bin('vitest', 'vitest.mjs'), ...options]);
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    // A file that does not even load has no tests that could fail.
    const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
    const failed = numFailedTests + broken.length;
    const timed = testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName, duration }) => ({
        name: `unit: ${fullName}`,
        seconds: (duration ?? 0) / 1000,
      })),
    );
    return { output, passed: numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed, timed };
  } catch {
    return { output, passed: 0, failed: 1 };
  }
}

/** Pictures and the browser test need Chromium; CI machines, where we are root, get it. */
async function ensureChromium() {
  const { findChromium } = createRequire(import.meta.url)('../dist/notebook/render.js');
  try {
    return findChromium();
  } catch (error) {
    if (process.env.CHROMIUM_PATH) throw new SetupError(error.message);
  }
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || collect('apt-get', ['--version']).code !== 0) throw new SetupError(missing(['chromium']));
  console.log('lyreo set-up: Chromium through apt-get …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  const options = ['-o=Dpkg::Use-Pty=0', 'install', '-y', '-qq', '--no-install-recommends'];
  await run('apt-get', [...options, 'chromium', 'fonts-dejavu-core'], { env });
  try {
    return findChromium();
  } catch {
    throw new SetupError(missing(['chromium']));
  }
}
