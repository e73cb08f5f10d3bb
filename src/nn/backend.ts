import { createRequire } from 'node:module';
import { UserError } from '../core/errors';

/** The native addon of tfjs-node. A tensor is a number and takes memory until it is deleted. */
export interface Tensorflow {
  readonly TF_FLOAT: number;
  /** Copies values, row by row. */
  createTensor(shape: readonly number[], type: number, values: Float32Array): number;
  tensorDataSync(tensor: number): Float32Array;
  deleteTensor(tensor: number): void;
  getNumOfTensors(): number;
  loadSavedModel(folder: string, tags: string): number;
  runSavedModel(
    graph: number,
    tensors: readonly number[],
    feedPorts: string,
    fetchPorts: string,
  ): readonly { readonly id: number }[];
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

let native: Tensorflow | undefined;

/**
 * Loads TensorFlow at the first call, never at import.
 *
 * @throws UserError when the native addon is missing.
 */
export function tensorflow(): Tensorflow {
  if (native !== undefined) return native;
  for (const [name, value] of Object.entries(ENVIRONMENT)) process.env[name] ??= value;
  try {
    // The addon alone: TensorFlow.js around it takes 40 MB and a quarter of a second more.
    native = createRequire(__filename)('@tensorflow/tfjs-node/lib/napi-v8/tfjs_binding.node') as Tensorflow;
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
    throw new UserError(
      `native TensorFlow, with which policies are trained and evaluated, is missing (${reason}); allowed: an installed addon; \`npm run setup\` installs it and names missing parts`,
    );
  }
  // glibc gives large blocks back to the system when they are freed; new ones then cost an update of LYREO 15,000 page
  // faults and more. It keeps all blocks up to the largest that it has seen freed, at most 32 MB (mallopt(3), dynamic
  // threshold), so one block of nearly this size is made and freed. Results do not depend on it.
  const values = new Float32Array(8_000_000);
  native.deleteTensor(native.createTensor([values.length], native.TF_FLOAT, values));
  return native;
}
