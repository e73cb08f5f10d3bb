import { addTo } from './accumulate';
import type { MlpPasses } from './mlp-passes';
import { biasName, weightName, type MlpShape } from './mlp-shape';
import type { Parameters } from './parameters';
import type { Tensor, Tfjs } from './tfjs';

/** The passes of `mlpGraph` in public tfjs operations, on whatever backend there is. */
export function plainMlp(tf: Tfjs, shape: MlpShape, sizes: readonly number[], parameters: Parameters): MlpPasses {
  const { sharedInputs, rowInputs, outputs: width } = shape;
  const depth = sizes.length - 1;
  const tensor = (values: Float32Array, dimensions: readonly number[]): Tensor =>
    tf.tensor(values.slice(), dimensions, 'float32');
  const named = (name: string): Tensor => tensor(parameters.view(name), parameters.shape(name));
  const add = (name: string, gradient: Tensor): void => {
    addTo(parameters.gradientView(name), gradient.dataSync());
  };
  return {
    forward: ({ groups, rowsPerGroup, shared, rows }, keep) => {
      // Layer 0 on each row's own copy of its group's inputs: here the plain way matters more than the fast one.
      const x = new Float32Array(groups * rowsPerGroup * sizes[0]);
      for (let r = 0; r < groups * rowsPerGroup; r++) {
        const group = Math.floor(r / rowsPerGroup);
        x.set(shared.subarray(group * sharedInputs, (group + 1) * sharedInputs), r * sizes[0]);
        x.set(rows.subarray(r * rowInputs, (r + 1) * rowInputs), r * sizes[0] + sharedInputs);
      }
      const kept: Tensor[] = [];
      const outputs = tf.tidy(() => {
        let h = tf.keep(tensor(x, [groups * rowsPerGroup, sizes[0]]));
        kept.push(h);
        for (let k = 0; k < depth; k++) {
          const z = tf.add(tf.matMul(h, named(weightName(k))), named(biasName(k)));
          if (k === depth - 1) return z.dataSync();
          h = tf.keep(tf.relu(z));
          kept.push(h);
        }
        return new Float32Array(0);
      });
      const dispose = (): void => {
        for (const t of kept) t.dispose();
      };
      if (!keep) dispose();
      const backward = (dOutputs: Float32Array): void => {
        tf.tidy(() => {
          let dz = tensor(dOutputs, [dOutputs.length / width, width]);
          for (let k = depth - 1; k >= 0; k--) {
            add(weightName(k), tf.matMul(kept[k], dz, true));
            add(biasName(k), tf.sum(dz, 0));
            if (k > 0) dz = tf.mul(tf.matMul(dz, named(weightName(k)), false, true), tf.step(kept[k]));
          }
        });
        dispose();
      };
      return { outputs, backward, dispose };
    },
    dispose: () => undefined,
  };
}
