import type { Kernels } from './kernels';
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
  const sumAttributes = [bool('keep_dims', false), ...float, type('Tidx', b.TF_INT32)];
  const sliceAttributes = [...float, type('Index', b.TF_INT32)];
  const lstmAttributes = [
    { name: 'cell_clip', type: b.TF_ATTR_FLOAT, value: 0 },
    bool('use_peephole', false),
    ...float,
  ];

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
  const reshape = (x: Tensor, shape: readonly number[]): Tensor => tf.reshape(x, shape);
  const axis1 = tf.keep(tf.tensor([1], [1], 'int32'));

  const lengths = new Map<number, Tensor>();
  /** seq_len_max must be int64, which tfjs cannot make: a cast, once per length; it warns about the type on the console. */
  const length = (steps: number): Tensor => {
    const known = lengths.get(steps);
    if (known !== undefined) return known;
    const { warn } = console;
    console.warn = (): void => undefined;
    try {
      const scalar = tf.scalar(steps, 'int32');
      const made = tf.keep(
        backend.executeSingleOutput(
          'Cast',
          [type('SrcT', b.TF_INT32), type('DstT', b.TF_INT64), bool('Truncate', false)],
          [scalar],
        ),
      );
      scalar.dispose();
      lengths.set(steps, made);
      return made;
    } finally {
      console.warn = warn;
    }
  };

  return {
    native: true,
    tensor,
    read: (x) => x.dataSync(),
    matMul,
    biasAdd: (x, bias) => run('BiasAdd', float, x, bias),
    relu: (x) => run('Relu', float, x),
    reluGrad: (dy, y) => run('ReluGrad', float, dy, y),
    sumRows: (x) => run('BiasAddGrad', float, x),
    addGroups: (shared, rows) => {
      const [groups = 0, width = 0] = shared.shape;
      const total = rows.shape[0] ?? 0;
      const a = reshape(shared, [groups, 1, width]);
      const c = reshape(rows, [groups, total / groups, width]);
      const sum = run('AddV2', float, a, c);
      const out = reshape(sum, [total, width]);
      for (const t of [a, c, sum]) t.dispose();
      return out;
    },
    sumGroups: (rows, groups) => {
      const [total = 0, width = 0] = rows.shape;
      const a = reshape(rows, [groups, total / groups, width]);
      const out = run('Sum', sumAttributes, a, axis1);
      a.dispose();
      return out;
    },
    sliceRows: (x, begin, count) => {
      const at = tf.tensor([begin, 0], [2], 'int32');
      const size = tf.tensor([count, -1], [2], 'int32');
      const out = run('Slice', sliceAttributes, x, at, size);
      at.dispose();
      size.dispose();
      return out;
    },
    reshape,
    product: (values, rows, weights) => {
      const x = tensor(values, [rows, weights.shape[0] ?? 0]);
      const y = matMul(x, weights);
      const out = y.dataSync();
      x.dispose();
      y.dispose();
      return out;
    },
    lstm: (x, weights, bias) => {
      const [steps = 0, batch = 0] = x.shape;
      const hidden = (bias.shape[0] ?? 0) / 4;
      const state = tf.zeros([batch, hidden]);
      const peephole = tf.zeros([hidden]);
      const inputs = [length(steps), x, state, state, weights, peephole, peephole, peephole, bias];
      const [i, c, f, o, g, tanhC, h] = backend.executeMultipleOutputs('BlockLSTMV2', lstmAttributes, inputs, 7);
      state.dispose();
      peephole.dispose();
      return { i, f, o, g, c, tanhC, h };
    },
  };
}
