/**
 * Loaded into the tslab kernel before tslab itself (`node -r`), by the kernel specification that
 * scripts/setup.mjs writes. It cures the kernel's known faults; scripts/kernel_test.py holds one
 * test for each of them.
 */
'use strict';
const fs = require('fs');
const Module = require('module');
const path = require('path');
const util = require('util');
const vm = require('vm');
const { Worker } = require('worker_threads');

/** tfjs-node 4.22 calls two functions that Node 23 removed (tensorflow/tfjs#8609). */
util.isNullOrUndefined = (value) => value === null || value === undefined;
util.isArray = Array.isArray;

// Without native TensorFlow tfjs-node cannot load: danfojs then gets the pure-JavaScript tfjs.
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const forDanfo = request === '@tensorflow/tfjs-node' && /[\\/]danfojs-node[\\/]/.test(parent?.filename ?? '');
  return resolve.call(this, forDanfo && !hasAddon() ? '@tensorflow/tfjs' : request, parent, ...rest);
};
const addon = path.join(__dirname, '../node_modules/@tensorflow/tfjs-node/lib/napi-v8/tfjs_binding.node');
const hasAddon = () => fs.existsSync(addon);

const { withLanguage } = require('./kernel-language.cjs');
const jupyter = require('tslab/dist/jupyter');
const converter = require('tslab/dist/converter');
const executor = require('tslab/dist/executor');
const ts = require('@tslab/typescript-for-tslab');

// --- Lost output -------------------------------------------------------------------------------
// zeromq.js sends 512 messages per turn of the event loop, then turns asynchronous and refuses the
// next one; tslab ignores that, so output and the final "idle" vanish. A send timeout of 0 keeps
// every send synchronous, a high water mark of 0 lets the queue grow instead of dropping.
// Bound in one go, iopub first, for a request that comes while a socket is still being bound fails.
jupyter.ZmqServer.prototype.bindSocket = async function (socket, port) {
  if (socket === this.iopub) {
    socket.sendHighWaterMark = 0;
    socket.sendTimeout = 0;
  }
  socket.bindSync(`${this.connInfo.transport}://${this.connInfo.ip}:${port}`);
};

// tslab warns of each request that it does not know (JupyterLab asks for the history), in whatever cell is running.
const { warn } = console;
console.warn = (text, ...rest) => {
  if (!String(text).startsWith('unknown msg_type')) warn.call(console, text, ...rest);
};

// --- Top-level await ---------------------------------------------------------------------------
// tslab finds a top-level await by a diagnostic that TypeScript does not give for `await (x)` and
// `for await`. Looking at the emitted code finds all of them.
const { createConverter } = converter;
converter.createConverter = (options) => {
  const made = withLanguage(createConverter(options));
  return {
    ...made,
    convert(previous, source) {
      const result = made.convert(previous, source);
      if (result.output) result.hasToplevelAwait ||= awaitsAtTopLevel(result.output);
      return result;
    },
  };
};

function awaitsAtTopLevel(code) {
  if (!/\bawait\b/.test(code)) return false;
  const awaits = (node) =>
    ts.isAwaitExpression(node) ||
    (ts.isForOfStatement(node) && node.awaitModifier !== undefined) ||
    (!ts.isFunctionLike(node) && !ts.isClassStaticBlockDeclaration(node) && ts.forEachChild(node, awaits));
  // `export {}` makes it a module, where `await (x)` is an await and not a call.
  return Boolean(awaits(ts.createSourceFile('cell.js', `${code}\nexport {};`, ts.ScriptTarget.Latest)));
}

// --- Interrupt ---------------------------------------------------------------------------------
/** Shared with the watchdog thread, which sets TOLD: the running cell, and whether it may be terminated. */
const state = new Int32Array(new SharedArrayBuffer(4));
// ORDERLY: the cell has asked to be told of an interrupt; TOLD: it has, and the first one came; SYNCHRONOUS: a cell
// without await, in Node's hands.
const [IDLE, RUNNING, ORDERLY, TOLD, SYNCHRONOUS] = [0, 1, 2, 3, 4];
/** Timers that cells set and that have not fired. */
const timers = new Map();
/** Functions of the running cell that end it in an orderly way; see src/notebook/progress.ts. */
const stopRequests = new Set();
const hook = {
  stopRequests: {
    add(request) {
      stopRequests.add(request);
      Atomics.compareExchange(state, 0, RUNNING, ORDERLY);
    },
  },
  /** A new object for every cell. */
  cell: {},
};
globalThis[Symbol.for('lyreo.kernel')] = hook;

/** Set once the cell was told, until it had a turn: interrupts that came during one long step are one. */
let telling = false;
/** Whether the running cell was told. */
let told = false;
/** tslab's own listener: the cell fails. */
let failCell = () => {};

/** The first interrupt of a cell that asked for it only requests its end. Any other interrupt ends the cell. */
function onInterrupt() {
  if (telling) return;
  if (stopRequests.size === 0) return endCell();
  telling = told = true;
  setImmediate(() => (telling = false));
  for (const request of stopRequests) request();
  stopRequests.clear();
}

/** Drops the timers that the cell waits for, or its loop would run on behind the next cell; it then cannot clean up. */
function endCell() {
  for (const [timer, clear] of timers) clear(timer);
  timers.clear();
  failCell();
}

const { on } = process;
process.on = function (event, listener) {
  if (event !== 'SIGINT') return on.call(this, event, listener);
  process.on = on; // the first listener is tslab's own
  failCell = listener;
  return on.call(this, event, onInterrupt);
};

const { runInThisContext } = vm;
vm.runInThisContext = (code, options) => {
  if (!options?.breakOnSigint) return runInThisContext(code, options);
  Object.assign(globalThis, tracked);
  Atomics.store(state, 0, RUNNING);
  // Node would cut the first step of a cell at once, a training's update too. A turn later the watchdog sees to it.
  // A cell without await cannot be told of an interrupt anyway.
  if (code.startsWith('(async ')) return new Promise(tracked.setImmediate).then(() => runInThisContext(code));
  Atomics.store(state, 0, SYNCHRONOUS);
  try {
    return runInThisContext(code, options);
  } finally {
    Atomics.store(state, 0, RUNNING);
    rearmInterrupt();
  }
};

/**
 * Node takes SIGINT over while it runs a cell and gives back the default, which kills the process,
 * if the cell added a listener meanwhile. Adding the listeners anew installs Node's handler again.
 */
function rearmInterrupt() {
  const listeners = process.rawListeners('SIGINT');
  process.removeAllListeners('SIGINT');
  for (const listener of listeners) process.on('SIGINT', listener);
}

const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;
const tracked = {
  setTimeout: track(setTimeout, clearTimeout, true),
  setInterval: track(setInterval, clearInterval, false),
  setImmediate: track(setImmediate, clearImmediate, true),
};
for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) {
  const clear = globalThis[name];
  globalThis[name] = (timer) => {
    timers.delete(timer);
    clear(timer);
  };
}

function track(set, clear, once) {
  const tracking = (callback, ...rest) => {
    const timer = set(
      (...values) => {
        if (once) timers.delete(timer);
        callback(...values);
      },
      ...rest,
    );
    timers.set(timer, clear);
    return timer;
  };
  // util.promisify(setTimeout) has a meaning of its own.
  tracking[util.promisify.custom] = set[util.promisify.custom];
  return tracking;
}

// The promise forms wait on timers too; calls with options keep Node's own.
const promises = require('timers/promises');
for (const [name, count] of Object.entries({ setTimeout: 2, setImmediate: 1 })) {
  const original = promises[name];
  promises[name] = (...args) =>
    Atomics.load(state, 0) === IDLE || args[count]
      ? original(...args)
      : new Promise((resolve) => tracked[name](resolve, ...args.slice(0, count)));
}

// --- Errors ------------------------------------------------------------------------------------
/** By Node in a cell without await, by tslab in another. */
const isInterruption = ({ code, message }) =>
  code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED' || message === 'Interrupted asynchronously';

const INTERRUPTED =
  'Interrupted. Cells that waited for this one have not run: Run > Run Selected Cell and All Below continues here.';
const STOPPED = 'Stopped. The cells below use the results so far; run this cell again for all of them.';

/** The frames of the kernel and of Node below a cell's own are noise, and all of them where the message says it all. */
function shortenStack(error) {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return error;
  if (error.name === 'UserError') return `${error.name}: ${error.message}`;
  if (isInterruption(error)) return INTERRUPTED;
  const noise = /^ +at .*([\\/]tslab[\\/]dist[\\/]|\(?node:)/;
  const lines = error.stack.split('\n').filter((line) => !noise.test(line));
  error.stack = lines.join('\n').replaceAll('evalmachine.<anonymous>', 'cell');
  return error;
}

const { createExecutor } = executor;
executor.createExecutor = (folder, converters, output) => {
  const made = createExecutor(folder, converters, {
    ...output,
    error: (...values) => output.error(...values.map(shortenStack)),
  });
  return {
    ...made,
    async execute(source) {
      stopRequests.clear();
      told = false;
      hook.cell = {};
      try {
        const succeeded = await made.execute(source);
        if (succeeded && told) output.log(STOPPED);
        return succeeded;
      } finally {
        Atomics.store(state, 0, IDLE);
        Object.assign(globalThis, { setTimeout, setInterval, setImmediate });
      }
    },
  };
};

// Interrupts come through a pipe (scripts/kernel.cjs) to a thread, so that they are heard while a cell blocks. It passes
// them on to the main thread and, if that gives no sign of life, terminates the JavaScript it is running, which drops
// promises: a cell that has asked to be told is spared the first interrupt, however long its step takes (an update of a
// training takes seconds), and after it has longer. Only a cell without await gets a signal: Node ends it in order then.
const file = Number(process.env.LYREO_INTERRUPTS);
delete process.env.LYREO_INTERRUPTS; // not for processes that cells start
if (file > 0) startWatchdog(file);

function startWatchdog(fd) {
  const watchdog = new Worker(
    `
  const { parentPort, workerData: state } = require('worker_threads');
  const { Session } = require('inspector');
  const interrupts = new (require('net').Socket)({ fd: ${fd}, readable: true });
  interrupts.on('close', () => process.kill(process.pid, 'SIGKILL')); // nobody is left to talk to
  let answers = 0;
  parentPort.on('message', () => { answers++; });
  interrupts.on('data', () => {
    if (Atomics.load(state, 0) === ${SYNCHRONOUS}) return process.kill(process.pid, 'SIGINT');
    const before = answers;
    const found = Atomics.compareExchange(state, 0, ${ORDERLY}, ${TOLD});
    parentPort.postMessage('interrupt');
    if (found === ${IDLE} || found === ${ORDERLY}) return;
    setTimeout(() => {
      if (answers > before || Atomics.load(state, 0) !== found) return;
      const session = new Session();
      session.connectToMainThread();
      session.post('Runtime.terminateExecution', () => {
        session.disconnect();
        parentPort.postMessage('terminated');
      });
    }, found === ${TOLD} ? 8000 : 500);
  });
  `,
    { eval: true, workerData: state, execArgv: [], env: process.env },
  );
  watchdog.on('message', (message) => {
    if (message === 'terminated') return endCell();
    watchdog.postMessage('yes');
    process.emit('SIGINT');
  });
  watchdog.on('error', () => undefined); // without it only interrupts are missing
  watchdog.unref();
}
