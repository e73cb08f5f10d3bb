/** TensorFlow's numbers for element types (types.proto). */
export const FLOAT = 1;
export const INT32 = 3;

/** An operation's attribute. */
export type Attribute =
  | { readonly type: number }
  | { readonly bool: boolean }
  | { readonly int: number }
  | { readonly strings: readonly string[] };

/**
 * A TensorFlow graph, written node by node and encoded as the file `saved_model.pb`: the only way to hand tfjs-node
 * more than one operation at a time. Fields: node_def.proto, attr_value.proto, tensor.proto, saved_model.proto.
 */
export class GraphDef {
  private readonly nodes: Buffer[] = [];

  /** Adds an operation on the outputs that `inputs` name; returns its name. */
  op(
    name: string,
    operation: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>>,
  ): string {
    return this.node(
      name,
      operation,
      inputs,
      Object.entries(attributes).map(([key, a]) => entry(key, encode(a))),
    );
  }

  /** A value that is fed at every run. */
  input(name: string, type: number = FLOAT): string {
    return this.op(name, 'Placeholder', [], { dtype: { type } });
  }

  /** A constant vector of integers, or a number when `scalar`. */
  ints(name: string, values: readonly number[], scalar = false): string {
    const shape = scalar ? Buffer.alloc(0) : bytes(2, varint(1, values.length));
    const content = Buffer.from(Int32Array.from(values).buffer);
    const tensor = Buffer.concat([varint(1, INT32), bytes(2, shape), bytes(4, content)]);
    return this.node(name, 'Const', [], [entry('dtype', varint(6, INT32)), entry('value', bytes(8, tensor))]);
  }

  /** The file's bytes. */
  savedModel(): Buffer {
    const versions = bytes(4, varint(1, 1882));
    const graph = Buffer.concat([...this.nodes, versions]);
    const metaInfo = bytes(4, Buffer.from('serve'));
    const metaGraph = Buffer.concat([bytes(1, metaInfo), bytes(2, graph)]);
    return Buffer.concat([varint(1, 1), bytes(2, metaGraph)]);
  }

  private node(name: string, operation: string, inputs: readonly string[], attributes: readonly Buffer[]): string {
    const parts = [text(1, name), text(2, operation), ...inputs.map((input) => text(3, input)), ...attributes];
    this.nodes.push(bytes(1, Buffer.concat(parts)));
    return name;
  }
}

function encode(a: Attribute): Buffer {
  if ('type' in a) return varint(6, a.type);
  if ('bool' in a) return varint(5, a.bool ? 1 : 0);
  if ('int' in a) return varint(3, a.int);
  return bytes(1, Buffer.concat(a.strings.map((s) => text(2, s))));
}

function entry(key: string, value: Buffer): Buffer {
  return bytes(5, Buffer.concat([text(1, key), bytes(2, value)]));
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

/** A length-delimited field. */
function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([number(field * 8 + 2), number(value.length), value]);
}

/** A field that holds one number. */
function varint(field: number, value: number): Buffer {
  return Buffer.concat([number(field * 8), number(value)]);
}

/** Seven bits a byte, the lowest first; the top bit says that more follow. */
function number(value: number): Buffer {
  const out: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    out.push(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) return Buffer.from(out);
  }
}
