/** npm test [-- NAME…]: set-up, then every check (or those whose names begin with one of NAME…), then the total. */
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { spawn } from 'node:child_process';
import { SetupError, cache, collect, inRoot, jupyterEnv, main, root, run, venvPython } from './common.mjs';
import { missing, setup } from './setup.mjs';

const bin = (...parts) => inRoot('node_modules', ...parts);
const node = (name, ...args) => ({ name, run: () => one(process.execPath, args) });

const CHECKS = [
  node('lint', bin('eslint', 'bin', 'eslint.js'), '.'),
  node('format', bin('prettier', 'bin', 'prettier.cjs'), '--check', '.', '--log-level', 'warn'),
  node('types', bin('typescript', 'bin', 'tsc'), '--noEmit'),
  node('types-in-kernel', inRoot('scripts', 'dts-check.cjs')),
  { name: 'unit', run: unitTests },
  { name: 'kernel', run: () => lines(venvPython, [inRoot('scripts', 'kernel_test.py')]) },
  { name: 'notebooks', run: () => lines(venvPython, [inRoot('scripts', 'notebooks.py')]) },
  { name: 'site', run: () => lines(process.execPath, [inRoot('scripts', 'site-test.mjs')]) },
  { name: 'e2e', run: () => lines(process.execPath, [inRoot('scripts', 'e2e.mjs')]) },
  { name: 'matrix', run: () => lines(process.execPath, [inRoot('scripts', 'matrix-test.mjs')]) },
  { name: 'node-versions', run: () => lines(process.execPath, [inRoot('scripts', 'node-versions.mjs'), '22', '24']) },
];

main(async () => {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !CHECKS.some((check) => check.name.startsWith(name)));
  if (unknown !== undefined) {
    console.log(`npm test -- ${unknown}: no such check; allowed: ${CHECKS.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const wanted = CHECKS.filter(({ name }) => names.length === 0 || names.some((begin) => name.startsWith(begin)));
  try {
    await setup();
    await ensureChromium();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.log(`\n${error.message}\n\n0 passed, 1 failed`);
    return 1;
  }
  let passed = 0;
  let failed = 0;
  for (const check of wanted) {
    const start = performance.now();
    console.log(`\n--- ${check.name}`);
    const result = await check.run();
    passed += result.passed;
    failed += result.failed;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`--- ${check.name}: ${result.passed} passed, ${result.failed} failed (${seconds} s)`);
  }
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
});

/** A command that counts as one check. */
async function one(command, args) {
  const code = await run(command, args);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function unitTests() {
  const report = cache('vitest.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const code = await run(process.execPath, [bin('vitest', 'vitest.mjs'), 'run', ...reporters]);
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    // A file that does not even load has no tests that could fail.
    const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
    const failed = numFailedTests + broken.length;
    return { passed: numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/** A command that prints `ok …` or `FAIL …` per check. */
function lines(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env: jupyterEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
      process.stdout.write(data);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const count = (pattern) => output.match(pattern)?.length ?? 0;
      const failed = count(/^FAIL /gm);
      const passed = count(/^ok /gm);
      // A suite that neither checked anything nor said what it skips has not passed.
      const isBroken = failed === 0 && (code !== 0 || (passed === 0 && count(/^SKIPPED /gm) === 0));
      resolve({ passed, failed: isBroken ? 1 : failed });
    });
  });
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
