import { createRequire } from 'node:module';
import { UserError } from '../core/errors';

/** A float32 array on the device; the code that asked for it disposes of it. */
export interface Tensor {
  dispose(): void;
  /** A copy of the values, row by row. */
  dataSync(): Float32Array;
}

/** The part of tfjs-node that this library uses, so that no type of tfjs reaches the library's own declarations. */
interface Tfjs {
  keep(x: Tensor): Tensor;
  memory(): { readonly numTensors: number };
  zeros(shape: readonly number[]): Tensor;
  backend(): unknown;
  engine(): {
    makeTensorFromTensorInfo(info: { dataId: object; shape: readonly number[]; dtype: 'float32' }): Tensor;
  };
}

/** The part of tfjs-node's backend that this library uses: graphs. */
interface NativeBackend {
  readonly binding: {
    loadSavedModel(folder: string, tags: string): number;
    runSavedModel(id: number, tensors: readonly number[], feedPorts: string, fetchPorts: string): object[];
  };
  write(values: Float32Array, shape: readonly number[], type: 'float32'): object;
  createOutputTensor(metadata: object): Tensor;
  getInputTensorIds(tensors: readonly ({ readonly dataId: object } | Tensor)[]): number[];
}

/** Native TensorFlow. */
export interface Tensorflow {
  readonly tf: Tfjs;
  readonly backend: NativeBackend;
}

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

let loaded: Tensorflow | undefined;

/**
 * Loads TensorFlow at the first call, never at import.
 *
 * @throws UserError when the native addon is missing.
 */
export function tensorflow(): Tensorflow {
  loaded ??= load();
  return loaded;
}

function load(): Tensorflow {
  for (const [name, value] of Object.entries(ENVIRONMENT)) process.env[name] ??= value;
  const require = createRequire(__filename);
  // tfjs-node 4.22 calls two functions that Node 23 removed: https://github.com/tensorflow/tfjs/issues/8609
  const util = require('node:util') as Record<string, unknown>;
  util['isNullOrUndefined'] ??= (value: unknown): boolean => value === null || value === undefined;
  util['isArray'] ??= Array.isArray;
  let tf: Tfjs;
  try {
    tf = require('@tensorflow/tfjs-node') as Tfjs;
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
    throw new UserError(
      `native TensorFlow, with which policies are trained and evaluated, is missing (${reason}); allowed: an installed addon; \`npm run setup\` installs it and names what it lacks`,
    );
  }
  // glibc gives large blocks back to the system when they are freed; new ones then cost an update of LYREO 15,000 page
  // faults and more. It keeps all blocks up to the largest that it has seen freed, at most 32 MB (mallopt(3), dynamic
  // threshold), so one block of nearly this size is made and freed. Results do not depend on it.
  tf.zeros([8_000_000]).dispose();
  return { tf, backend: tf.backend() as NativeBackend };
}

/** Copies values, row by row, to the device; the array may be changed afterwards. */
export function tensor(values: Float32Array, shape: readonly number[]): Tensor {
  const { tf, backend } = tensorflow();
  // tf.tensor would keep the array and copy it at its first use; here the copy is made at once.
  const dataId = backend.write(values, shape, 'float32');
  backend.getInputTensorIds([{ dataId }]);
  return tf.keep(tf.engine().makeTensorFromTensorInfo({ dataId, shape, dtype: 'float32' }));
}
