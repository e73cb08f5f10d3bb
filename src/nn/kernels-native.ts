import type { Kernels } from './kernels';
import { earlierStates } from './lstm-plain';
import { nativeMlp, type RunGraph } from './mlp-native';
import type { NativeBackend, OpAttribute, Tensor, Tfjs } from './tfjs';

/** TensorFlow's kernels through tfjs-node's backend: about 10 µs a call, no tape, no gradient registry. */
export function nativeKernels(tf: Tfjs, backend: NativeBackend): Kernels {
  const b = backend.binding;
  const bool = (name: string, value: boolean): OpAttribute => ({ name, type: b.TF_ATTR_BOOL, value });
  const type = (name: string, value: number): OpAttribute => ({ name, type: b.TF_ATTR_TYPE, value });
  const float = [type('T', b.TF_FLOAT)];
  const matMulAttributes = [false, true].map((ta) =>
    [false, true].map((tb) => [bool('transpose_a', ta), bool('transpose_b', tb), ...float]),
  );
  const lstmGradAttributes = [bool('use_peephole', false), ...float];
  const lstmAttributes = [{ name: 'cell_clip', type: b.TF_ATTR_FLOAT, value: 0 }, ...lstmGradAttributes];

  const run = (name: string, attributes: OpAttribute[], ...inputs: Tensor[]): Tensor =>
    backend.executeSingleOutput(name, attributes, inputs);
  const tensor = (values: Float32Array, shape: readonly number[]): Tensor => {
    // tf.tensor would keep the array and copy it at its first use; here the copy is made at once.
    return tf.keep(tf.engine().makeTensorFromTensorInfo({ dataId: upload(values, shape), shape, dtype: 'float32' }));
  };
  const upload = (values: Float32Array, shape: readonly number[]): object => {
    const id = backend.write(values, shape, 'float32');
    backend.getInputTensorIds([{ dataId: id }]);
    return id;
  };
  const matMul = (x: Tensor, y: Tensor, ta = false, tb = false): Tensor => {
    return run('MatMul', matMulAttributes[ta ? 1 : 0][tb ? 1 : 0], x, y);
  };
  const reshapeAttributes = [...float, type('Tshape', b.TF_INT32)];
  const shapes = new Map<string, Tensor>();
  /** The batches of a run have a handful of shapes, each of which is uploaded once. */
  const shapeTensor = (shape: readonly number[]): Tensor => {
    const key = shape.join();
    const made = shapes.get(key) ?? tf.keep(tf.tensor(shape, [shape.length], 'int32'));
    shapes.set(key, made);
    return made;
  };
  const reshape = (x: Tensor, shape: readonly number[]): Tensor =>
    run('Reshape', reshapeAttributes, x, shapeTensor(shape));

  const lengths = new Map<number, Tensor>();
  /** seq_len_max must be int64, a type that tfjs itself does not make: two numbers, the lower half first. */
  const length = (steps: number): Tensor => {
    const made = lengths.get(steps) ?? ({ dataId: backend.write(Int32Array.of(steps, 0), [], 'int64') } as never);
    lengths.set(steps, made);
    return made;
  };

  /** What both LSTM operations begin with: length, x, zero state and output, weights, unused peepholes, bias. */
  const lstmInputs = (x: Tensor, weights: Tensor, bias: Tensor): { inputs: Tensor[]; free: () => void } => {
    const [steps, batch] = x.shape;
    const hidden = bias.shape[0] / 4;
    const state = tf.zeros([batch, hidden]);
    const peephole = tf.zeros([hidden]);
    return {
      inputs: [length(steps), x, state, state, weights, peephole, peephole, peephole, bias],
      free: () => {
        state.dispose();
        peephole.dispose();
      },
    };
  };

  const graphs = new Map<string, RunGraph>();
  const kernels: Kernels = {
    native: true,
    mlp: (...network) => nativeMlp({ backend, kernels, graphs, shapeTensor }, ...network),
    tensor,
    read: (x) => x.dataSync(),
    matMul,
    biasAdd: (x, bias) => run('BiasAdd', float, x, bias),
    sumRows: (x) => run('BiasAddGrad', float, x),
    reshape,
    lstm: (x, weights, bias) => {
      const { inputs, free } = lstmInputs(x, weights, bias);
      const [i, c, f, o, g, tanhC, h] = backend.executeMultipleOutputs('BlockLSTMV2', lstmAttributes, inputs, 7);
      free();
      return { i, f, o, g, c, tanhC, h };
    },
    lstmGrad: (x, weights, bias, { i, c, f, o, g, tanhC, h }, dh) => {
      const { inputs, free } = lstmInputs(x, weights, bias);
      const dc = tf.zeros(h.shape);
      const all = [...inputs, i, c, f, o, g, tanhC, h, dc, dh];
      const outputs = backend.executeMultipleOutputs('BlockLSTMGradV2', lstmGradAttributes, all, 8);
      free();
      dc.dispose();
      // Of the initial state and output (1, 2) and of the peepholes (4, 5, 6), which stay zero.
      for (const k of [1, 2, 4, 5, 6]) outputs[k].dispose();
      return { x: outputs[0], weights: outputs[3], bias: outputs[7] };
    },
    lstmStepGrad: ({ i, c, f, o, g, tanhC }, dhs) =>
      tf.tidy(() => {
        const [steps, batch, hidden] = c.shape;
        const [before, ...states] = [earlierStates(tf, c), i, c, f, o, g, tanhC].map((x) =>
          reshape(x, [steps * batch, hidden]),
        );
        const none = tf.zeros([steps * batch, hidden]);
        // Without peepholes the operation reads no weights, biases, inputs or outputs: only their shapes must fit.
        const [x, weights, peephole, bias] = [[steps * batch, 1], [1 + hidden, 4 * hidden], [hidden], [4 * hidden]].map(
          (shape) => tf.zeros(shape),
        );
        const inputs = [x, before, none, weights, peephole, peephole, peephole, bias, ...states, none];
        return dhs.map(
          (dh) => backend.executeMultipleOutputs('LSTMBlockCellGrad', lstmGradAttributes, [...inputs, dh], 5)[1],
        );
      }),
  };
  return kernels;
}
