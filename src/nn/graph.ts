import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tensorflow } from './backend';

/** Types as attributes. */
export const FLOAT = 'type: DT_FLOAT';
export const INT = 'type: DT_INT32';

/** Graphs that were loaded, by their text: networks of one shape share theirs. */
const loaded = new Map<string, number>();

/**
 * A TensorFlow graph, written node by node as the text file `saved_model.pbtxt`: the only way to hand tfjs-node more than
 * one operation at a time. Every method returns the name of the node that it adds; `name:k` is a node's output k.
 */
export class Graph {
  private text = '';
  private count = 0;

  /** @param attributes that differ from TensorFlow's defaults, as text of attr_value.proto. Default: T is float32. */
  op(
    operation: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, string>> = { T: FLOAT },
    name = `n${this.count++}`,
  ): string {
    const parts = [
      ...inputs.map((input) => `input: "${input}"`),
      ...Object.entries(attributes).map(([key, value]) => `attr { key: "${key}" value { ${value} } }`),
    ];
    this.text += `node { name: "${name}" op: "${operation}" ${parts.join(' ')} }\n`;
    return name;
  }

  /** A float32 tensor that is fed. */
  input(name: string): string {
    return this.op('Placeholder', [], { dtype: FLOAT }, name);
  }

  /** A constant of integers with the shape; [] for a number. */
  ints(values: readonly number[], shape: readonly number[] = [values.length]): string {
    return this.constant('DT_INT32', shape, values.map((value) => `int_val: ${value}`).join(' '));
  }

  /** A constant of zeros. */
  zeros(...shape: readonly number[]): string {
    return this.constant('DT_FLOAT', shape, 'float_val: 0');
  }

  matMul(a: string, b: string, transposeA = false, transposeB = false): string {
    return this.op('MatMul', [a, b], { T: FLOAT, transpose_a: `b: ${transposeA}`, transpose_b: `b: ${transposeB}` });
  }

  /** The same values in another shape, of numbers or a node; one may be −1. */
  reshape(x: string, shape: readonly number[] | string, name?: string): string {
    return this.op('Reshape', [x, typeof shape === 'string' ? shape : this.ints(shape)], { T: FLOAT }, name);
  }

  /** Side by side along the first axis. */
  concat(parts: readonly string[], name?: string, type: string = FLOAT): string {
    return this.op('ConcatV2', [...parts, this.ints([0], [])], { T: type, N: `i: ${parts.length}` }, name);
  }

  /** The gradient's node, of parts in the order of the parameters. */
  gradient(parts: readonly string[]): void {
    const flat = parts.map((part) => this.reshape(part, [-1]));
    this.concat(flat, 'gradient');
  }

  /** A part of these sizes from `begin`; −1 for the rest. */
  slice(x: string, begin: readonly number[], sizes: readonly number[], type: string = FLOAT): string {
    return this.op('Slice', [x, this.ints(begin), this.ints(sizes)], { T: type, Index: INT });
  }

  /** Parts of these sizes along the first axis. */
  split(x: string, sizes: readonly number[]): string[] {
    const attributes = { T: FLOAT, Tlen: INT, num_split: `i: ${sizes.length}` };
    const name = this.op('SplitV', [x, this.ints(sizes), this.ints([0], [])], attributes);
    return sizes.map((_, k) => `${name}:${k}`);
  }

  /** Loads the graph and returns its number; TensorFlow reads it from a folder, which is gone again afterwards. */
  load(): number {
    let id = loaded.get(this.text);
    if (id !== undefined) return id;
    const folder = mkdtempSync(join(tmpdir(), 'lyreo-graph-'));
    try {
      const graph = `meta_info_def { tags: "serve" } graph_def { ${this.text} versions { producer: 1882 } }`;
      writeFileSync(join(folder, 'saved_model.pbtxt'), `saved_model_schema_version: 1 meta_graphs { ${graph} }`);
      id = tensorflow().loadSavedModel(folder, 'serve');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    loaded.set(this.text, id);
    return id;
  }

  private constant(type: string, shape: readonly number[], values: string): string {
    const dimensions = shape.map((size) => `dim { size: ${size} }`).join(' ');
    const tensor = `tensor { dtype: ${type} tensor_shape { ${dimensions} } ${values} }`;
    return this.op('Const', [], { dtype: `type: ${type}`, value: tensor });
  }
}
