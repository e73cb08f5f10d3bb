import { createRequire } from 'node:module';
import type { NativeBackend, Tfjs } from './tfjs';

/** What was found on this machine. */
export type Tensorflow =
  | { readonly kind: 'native'; readonly tf: Tfjs; readonly backend: NativeBackend }
  | { readonly kind: 'javascript'; readonly tf: Tfjs; readonly reason: string };

/**
 * Settings of native TensorFlow for many small products on one core; a value that is already set wins.
 * They are read once, when the library is first loaded, so this must run before anything requires tfjs-node.
 *
 * One thread: experiments run one process per core, and results then do not depend on the number of cores.
 */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  TF_CPP_MIN_LOG_LEVEL: '3',
  TF_ENABLE_ONEDNN_OPTS: '0',
  TF_NUM_INTRAOP_THREADS: '1',
  // Below 0: a graph runs in the thread that calls it (DirectSession), which saves 30 µs and two switches a call.
  TF_NUM_INTEROP_THREADS: '-1',
};

/** Sets the defaults above, and what tfjs-node 4.22 misses in Node ≥ 23; loads nothing. */
function prepareTensorflow(): void {
  for (const [name, value] of Object.entries(ENVIRONMENT)) process.env[name] ??= value;
  // tfjs-node calls two functions that Node 23 removed: https://github.com/tensorflow/tfjs/issues/8609
  const util = createRequire(__filename)('node:util') as Record<string, unknown>;
  util['isNullOrUndefined'] ??= (value: unknown): boolean => value === null || value === undefined;
  util['isArray'] ??= Array.isArray;
}

let loaded: Tensorflow | undefined;

/**
 * Loads TensorFlow at the first call, never at import. Without the native addon it says so, once, and goes on with the
 * JavaScript backend: the same numbers to rounding, many times slower.
 */
export function tensorflow(): Tensorflow {
  loaded ??= load();
  return loaded;
}

/**
 * glibc gives large blocks back to the system when they are freed; new ones then cost an update of LYREO 15,000 page
 * faults and more. It keeps all blocks up to the largest that it has seen freed, at most 32 MB (mallopt(3), dynamic
 * threshold), so one block of nearly this size is made and freed. Results do not depend on it.
 */
function keepFreedMemory(tf: Tfjs): void {
  tf.zeros([8_000_000]).dispose();
}

function load(): Tensorflow {
  prepareTensorflow();
  const require = createRequire(__filename);
  try {
    const tf = require('@tensorflow/tfjs-node') as Tfjs;
    const backend = tf.backend() as Partial<NativeBackend>;
    if (backend.executeSingleOutput === undefined) throw new Error('tfjs-node did not become the backend');
    keepFreedMemory(tf);
    return { kind: 'native', tf, backend: backend as NativeBackend };
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
    console.warn(
      `lyreo: NATIVE TENSORFLOW IS MISSING (${reason}).\n` +
        'lyreo: learning continues on the JavaScript backend: same results to rounding, but 10 to 100 times slower.\n' +
        'lyreo: build the native addon as CONTRIBUTING.md describes ("Set up").',
    );
    return { kind: 'javascript', tf: require('@tensorflow/tfjs') as Tfjs, reason };
  }
}
