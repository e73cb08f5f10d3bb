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

// tslab warns of each request that it does not know (JupyterLab asks for the history), in whatever
// cell is running. It does so before its first await.
const { handleShellMessage } = jupyter.ZmqServer.prototype;
jupyter.ZmqServer.prototype.handleShellMessage = function (...message) {
  const { warn } = console;
  console.warn = (text, ...rest) => {
    if (!String(text).startsWith('unknown msg_type')) warn.call(console, text, ...rest);
  };
  const handled = handleShellMessage.apply(this, message);
  console.warn = warn;
  return handled;
};

// --- Top-level await ---------------------------------------------------------------------------
// tslab finds a top-level await by a diagnostic that TypeScript does not give for `await (x)` and
// `for await`. Looking at the emitted code finds all of them.
const { createConverter } = converter;
converter.createConverter = (options) => {
  const made = createConverter(options);
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
  const visit = (node) => {
    if (ts.isFunctionLike(node) || ts.isClassStaticBlockDeclaration(node)) return false;
    if (ts.isAwaitExpression(node)) return true;
    if (ts.isForOfStatement(node) && node.awaitModifier) return true;
    return ts.forEachChild(node, (child) => visit(child) || undefined) ?? false;
  };
  // `export {}` makes it a module, where `await (x)` is an await and not a call.
  return visit(ts.createSourceFile('cell.js', `${code}\nexport {};`, ts.ScriptTarget.Latest));
}

// --- Interrupt ---------------------------------------------------------------------------------
/**
 * Shared with the watchdog thread: whether the code of a cell is running, and how far it may be interrupted: 0 at once,
 * 1 it has asked to be told first, 2 an interrupt is on its way to it.
 */
const running = new Int32Array(new SharedArrayBuffer(8));
const ORDERLY = 1;
/** Timers that cells set and that have not fired. */
const timers = new Map();
/** Functions of the running cell that end it in an orderly way; see src/notebook/progress.ts. */
const stopRequests = new Set();
const hook = {
  stopRequests: {
    add(request) {
      stopRequests.add(request);
      Atomics.store(running, ORDERLY, 1);
    },
  },
  /** A new object for every cell. */
  cell: {},
};
globalThis[Symbol.for('lyreo.kernel')] = hook;

/**
 * The first interrupt of a cell that asked for it only requests its end. Any other interrupt ends
 * the cell and drops the timers that cells wait for, or its loop would run on behind the next cell.
 */
function onInterrupt(endCell) {
  // Not when the watchdog has ended the cell meanwhile.
  const isOrderly = Atomics.exchange(running, ORDERLY, 0) !== 0;
  const requests = [...stopRequests];
  stopRequests.clear();
  if (isOrderly && requests.length > 0) {
    for (const request of requests) request();
    return;
  }
  for (const [timer, clear] of timers) clear(timer);
  timers.clear();
  endCell();
}

const { on } = process;
process.on = function (event, listener) {
  if (event !== 'SIGINT') return on.call(this, event, listener);
  process.on = on; // the first listener is tslab's own
  return on.call(this, event, () => onInterrupt(listener));
};

const { runInThisContext } = vm;
vm.runInThisContext = (code, options) => {
  if (!options?.breakOnSigint) return runInThisContext(code, options);
  trackTimers();
  Atomics.store(running, 0, 1);
  try {
    return runInThisContext(code, options);
  } finally {
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

const trackTimers = () => Object.assign(globalThis, tracked);
const untrackTimers = () => Object.assign(globalThis, { setTimeout, setInterval, setImmediate });

// The promise forms wait on timers too; calls with options keep Node's own.
const promises = require('timers/promises');
for (const name of ['setTimeout', 'setImmediate']) {
  const original = promises[name];
  const optionsAt = name === 'setTimeout' ? 2 : 1;
  promises[name] = (...args) =>
    Atomics.load(running, 0) === 0 || args[optionsAt]
      ? original(...args)
      : new Promise((resolve) => {
          if (name === 'setTimeout') tracked.setTimeout(resolve, args[0], args[1]);
          else tracked.setImmediate(resolve, args[0]);
        });
}

// --- Errors ------------------------------------------------------------------------------------
/** The frames of the kernel and of Node below a cell's own are noise, and all of them where the message says it all. */
function shortenStack(error) {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return error;
  if (error.name === 'UserError') return `${error.name}: ${error.message}`;
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
      Atomics.store(running, ORDERLY, 0);
      hook.cell = {};
      try {
        return await made.execute(source);
      } finally {
        Atomics.store(running, 0, 0);
        untrackTimers();
      }
    },
  };
};

// A loop that blocks after its first await leaves no turn for the SIGINT listener. Jupyter signals
// the whole process group: a helper process tells a thread, which asks the main thread for a sign
// of life and, if there is none, terminates the JavaScript it is running. Not so a cell that has
// asked to be told: it gets the first interrupt when its step is done, however long that takes (an
// update of a training is seconds of native code, which must not be cut); with the second it has
// some seconds more.
const watchdog = new Worker(
  `
  const { parentPort, workerData: running } = require('worker_threads');
  const { Session } = require('inspector');
  const code = "process.on('SIGINT', () => process.stdout.write('i')); process.stdin.resume().on('end', () => process.exit())";
  const helper = require('child_process').spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'ignore'] });
  let answers = 0;
  parentPort.on('message', () => { answers++; });
  helper.on('error', () => {});
  helper.stdout.on('data', () => {
    if (Atomics.compareExchange(running, ${ORDERLY}, 1, 2) === 1) return;
    const patience = Atomics.load(running, ${ORDERLY}) === 2 ? 8000 : 500;
    const before = answers;
    parentPort.postMessage('alive?');
    setTimeout(() => {
      if (answers > before || Atomics.load(running, 0) === 0) return;
      Atomics.store(running, ${ORDERLY}, 0);
      const session = new Session();
      session.connectToMainThread();
      session.post('Runtime.terminateExecution', () => session.disconnect());
    }, patience);
  });
  `,
  { eval: true, workerData: running, execArgv: [], env: process.env },
);
watchdog.on('message', () => watchdog.postMessage('yes'));
watchdog.on('error', () => undefined); // without it only this one guard is missing
watchdog.unref();
