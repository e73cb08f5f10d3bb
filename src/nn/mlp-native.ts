import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addTo } from './accumulate';
import type { Kernels } from './kernels';
import { mlpGraph, mlpParts } from './mlp-graph';
import type { MlpPasses } from './mlp-passes';
import type { MlpShape } from './mlp-shape';
import type { Parameters } from './parameters';
import type { NativeBackend, Tensor } from './tfjs';

/** Fetches outputs of a loaded graph; both lists of names are made by `ports`. */
export type RunGraph = (feeds: readonly Tensor[], feedNames: string, fetchNames: string) => Tensor[];

const ports = (names: readonly string[]): string => names.map((name) => `${name}:0`).join();

/** Loads a graph; TensorFlow reads it from a folder, which is gone again afterwards. */
function loadGraph(backend: NativeBackend, file: Uint8Array): RunGraph {
  const folder = mkdtempSync(join(tmpdir(), 'lyreo-graph-'));
  let id: number;
  try {
    writeFileSync(join(folder, 'saved_model.pb'), file);
    id = backend.binding.loadSavedModel(folder, 'serve');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return (feeds, feedNames, fetchNames) =>
    backend.binding
      .runSavedModel(id, backend.getInputTensorIds(feeds), feedNames, fetchNames)
      .map((output) => backend.createOutputTensor(output));
}

/** What `nativeMlp` needs of the kernels. */
interface NativeParts {
  readonly backend: NativeBackend;
  readonly kernels: Kernels;
  readonly graphs: Map<string, RunGraph>;
  /** A shape as a tensor, which stays. */
  readonly shapeTensor: (shape: readonly number[]) => Tensor;
}

/** Passes of one network in one call of TensorFlow each: at 1000 rows 0.7 of the time of operation by operation, at 40 rows half. */
export function nativeMlp(
  { backend, kernels, graphs, shapeTensor }: NativeParts,
  shape: MlpShape,
  sizes: readonly number[],
  parameters: Parameters,
): MlpPasses {
  const { sharedInputs, rowInputs } = shape;
  const key = [sharedInputs, ...sizes].join();
  const run = graphs.get(key) ?? loadGraph(backend, mlpGraph(shape, sizes).savedModel());
  graphs.set(key, run);
  const isSplit = sharedInputs > 0 && rowInputs > 0;
  const parts = mlpParts(shape, sizes);
  const hidden = sizes.slice(2).map((_, k) => `h${k + 1}`);
  const inputs = isSplit ? ['shared', 'rows', 'grouped', 'single'] : sharedInputs > 0 ? ['shared'] : ['rows'];
  const feeds = [...inputs, ...parts.map((part) => part.name)];
  const names = {
    forward: ports(feeds),
    backward: ports([...feeds, ...hidden, 'dOutputs']),
    outputs: ports(['outputs']),
    kept: ports(['outputs', ...hidden]),
    gradient: ports(['gradient']),
  };
  let weights: readonly Tensor[] = [];
  let version = -1;
  /** The parameters on the device, copied there anew only after a change. */
  const upload = (): readonly Tensor[] => {
    if (version === parameters.version) return weights;
    disposeAll(weights);
    version = parameters.version;
    let begin = 0;
    return (weights = parts.map((part) => {
      const end = begin + part.shape.reduce((a, b) => a * b);
      const values = parameters.values.subarray(begin, end);
      begin = end;
      return kernels.tensor(values, part.shape);
    }));
  };
  return {
    forward: ({ groups, rowsPerGroup, shared, rows }, keep) => {
      const own: Tensor[] = [];
      if (sharedInputs > 0) own.push(kernels.tensor(shared, [groups, sharedInputs]));
      if (rowInputs > 0) own.push(kernels.tensor(rows, [groups * rowsPerGroup, rowInputs]));
      const batch = isSplit
        ? [...own, shapeTensor([groups, rowsPerGroup, sizes[1]]), shapeTensor([groups, 1, sizes[1]])]
        : [...own];
      const fetched = run([...batch, ...upload()], names.forward, keep ? names.kept : names.outputs);
      const outputs = fetched[0].dataSync();
      own.push(...fetched);
      const dispose = (): void => {
        disposeAll(own);
      };
      if (!keep) dispose();
      const backward = (d: Float32Array): void => {
        const dOutputs = kernels.tensor(d, [d.length / shape.outputs, shape.outputs]);
        const [gradient] = run([...batch, ...upload(), ...fetched.slice(1), dOutputs], names.backward, names.gradient);
        addTo(parameters.gradient, gradient.dataSync());
        disposeAll([...own, dOutputs, gradient]);
      };
      return { outputs, backward, dispose };
    },
    dispose: () => {
      disposeAll(weights);
      weights = [];
      version = -1;
    },
  };
}

function disposeAll(tensors: readonly Tensor[]): void {
  for (const t of tensors) t.dispose();
}
