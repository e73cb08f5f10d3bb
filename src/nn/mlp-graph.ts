import { FLOAT, GraphDef, INT32, type Attribute } from './graph-def';
import type { MlpShape } from './mlp-shape';

const T: Readonly<Record<string, Attribute>> = { T: { type: FLOAT } };

/**
 * A network's forward and backward pass as one TensorFlow graph.
 *
 * Fed: the parameters by the names of `mlpParts`, `shared` [G, Fs], `rows` [G·U, Fr], with both also `grouped` =
 * [G, U, H] and `single` = [G, 1, H]; backward also `dOutputs` [G·U, O] and the `h1`, `h2`, … of the forward pass.
 * Fetched: `outputs` and `h1`, …, or `gradient` (flat, in the order of the parameters).
 */
export function mlpGraph(shape: MlpShape, sizes: readonly number[]): GraphDef {
  const g = new GraphDef();
  const { sharedInputs, rowInputs } = shape;
  const depth = sizes.length - 1;
  const both = sharedInputs > 0 && rowInputs > 0;
  if (sharedInputs > 0) g.input('shared');
  if (rowInputs > 0) g.input('rows');
  if (both) ['grouped', 'single'].map((name) => g.input(name, INT32));
  g.input('dOutputs');
  for (const { name } of mlpParts(shape, sizes)) g.input(name);
  forward(g, both, sharedInputs > 0 ? 'shared' : 'rows', depth, sizes[1]);
  backward(g, both, sharedInputs > 0 ? 'shared' : 'rows', sizes);
  return g;
}

/** The flat parameters in parts: `w0`, `b0`, `w1`, …; with both kinds of inputs w0 is of the shared ones, `wr` of the rows'. */
export function mlpParts(
  { sharedInputs, rowInputs }: MlpShape,
  sizes: readonly number[],
): { readonly name: string; readonly shape: readonly number[] }[] {
  return sizes.slice(1).flatMap((width, k) => {
    const isSplit = k === 0 && sharedInputs > 0 && rowInputs > 0;
    const weights = isSplit
      ? [
          { name: 'w0', shape: [sharedInputs, width] },
          { name: 'wr', shape: [rowInputs, width] },
        ]
      : [{ name: `w${k}`, shape: [sizes[k], width] }];
    return [...weights, { name: `b${k}`, shape: [width] }];
  });
}

function forward(g: GraphDef, both: boolean, first: string, depth: number, width: number): void {
  if (both) {
    affine(g, 'common', 'shared', 0, false);
    matMul(g, 'own', 'rows', 'wr');
    const sum = g.op(
      'sum',
      'AddV2',
      [reshape(g, 'common3', 'common', 'single'), reshape(g, 'own3', 'own', 'grouped')],
      T,
    );
    const z = depth > 1 ? g.op('relu', 'Relu', [sum], T) : sum;
    reshape(g, depth > 1 ? 'h1' : 'outputs', z, g.ints('rows_width', [-1, width]));
  } else affine(g, depth > 1 ? 'h1' : 'outputs', first, 0, depth > 1);
  for (let k = 1; k < depth; k++) affine(g, k < depth - 1 ? `h${k + 1}` : 'outputs', `h${k}`, k, k < depth - 1);
}

function backward(g: GraphDef, both: boolean, first: string, sizes: readonly number[]): void {
  const depth = sizes.length - 1;
  const flat: string[] = [];
  let dz = 'dOutputs';
  for (let k = depth - 1; k > 0; k--) {
    const bias = g.op(`db${k}`, 'BiasAddGrad', [dz], T);
    flat.unshift(product(g, `dw${k}`, `h${k}`, dz, sizes[k] > sizes[k + 1]), bias);
    const dh = matMul(g, `dh${k}`, dz, `w${k}`, false, true);
    dz = g.op(`dz${k}`, 'ReluGrad', [dh, `h${k}`], T);
  }
  const own = both ? [product(g, 'dwr', 'rows', dz, false)] : [];
  if (both) {
    const inputs = [reshape(g, 'dz_grouped', dz, 'grouped'), g.ints('axis1', [1])];
    dz = g.op('dz_summed', 'Sum', inputs, { ...T, Tidx: { type: INT32 }, keep_dims: { bool: false } });
  }
  flat.unshift(product(g, 'dw0', first, dz, false), ...own, g.op('db0', 'BiasAddGrad', [dz], T));
  const all = g.ints('all', [-1]);
  const vectors = flat.map((name) => reshape(g, `${name}_flat`, name, all));
  const attributes = { ...T, N: { int: vectors.length }, Tidx: { type: INT32 } };
  g.op('gradient', 'ConcatV2', [...vectors, g.ints('axis0', [0], true)], attributes);
}

/** relu?(x·w_k + b_k), one operation. */
function affine(g: GraphDef, name: string, x: string, k: number, relu: boolean): string {
  const strings = relu ? ['BiasAdd', 'Relu'] : ['BiasAdd'];
  return g.op(name, '_FusedMatMul', [x, `w${k}`, `b${k}`], { ...T, num_args: { int: 1 }, fused_ops: { strings } });
}

/** xᵀ·dz; TensorFlow's product is up to four times faster with the smaller side first, so some are made transposed. */
function product(g: GraphDef, name: string, x: string, dz: string, transposed: boolean): string {
  if (!transposed) return matMul(g, name, x, dz, true);
  const inputs = [matMul(g, `${name}_transposed`, dz, x, true), g.ints(`${name}_axes`, [1, 0])];
  return g.op(name, 'Transpose', inputs, { ...T, Tperm: { type: INT32 } });
}

function matMul(g: GraphDef, name: string, a: string, b: string, ta = false, tb = false): string {
  return g.op(name, 'MatMul', [a, b], { ...T, transpose_a: { bool: ta }, transpose_b: { bool: tb } });
}

function reshape(g: GraphDef, name: string, x: string, shape: string): string {
  return g.op(name, 'Reshape', [x, shape], { ...T, Tshape: { type: INT32 } });
}
