/**
 * The kernel that Jupyter starts, stops and interrupts: `node kernel.cjs ARGUMENTS` runs `node ARGUMENTS` in a process
 * group of its own and passes interrupts on through a pipe, its file 3.
 *
 * Jupyter interrupts by a signal to the whole process group. One that arrives inside TensorFlow's native code can
 * corrupt memory, so it must not reach that process; this one computes nothing.
 */
'use strict';
const { spawn } = require('child_process');

const kernel = spawn(process.execPath, process.argv.slice(2), {
  detached: true,
  env: { ...process.env, LYREO_INTERRUPTS: '3' },
  stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
});
const [, , , interrupts] = kernel.stdio;
interrupts.on('error', () => undefined); // the kernel is ending
process.on('SIGINT', () => interrupts.write('i'));
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => kernel.kill(signal));
kernel.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
