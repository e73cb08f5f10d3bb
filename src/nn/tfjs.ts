/** A float32 matrix on the device. Whoever asked for it disposes of it. */
export interface Tensor {
  readonly shape: readonly number[];
  dispose(): void;
  /** A copy of the values, row by row. */
  dataSync(): Float32Array;
}

/** The part of tfjs that this library uses, so that no type of tfjs reaches the library's own declarations. */
export interface Tfjs {
  add(a: Tensor, b: Tensor): Tensor;
  concat(parts: readonly Tensor[], axis: number): Tensor;
  grads(f: (...x: Tensor[]) => Tensor): (x: readonly Tensor[], dy: Tensor) => Tensor[];
  keep(x: Tensor): Tensor;
  matMul(a: Tensor, b: Tensor, transposeA?: boolean, transposeB?: boolean): Tensor;
  memory(): { readonly numTensors: number };
  mul(a: Tensor, b: Tensor): Tensor;
  relu(x: Tensor): Tensor;
  reshape(x: Tensor, shape: readonly number[]): Tensor;
  scalar(value: number, type: 'int32'): Tensor;
  setBackend(name: string): Promise<boolean>;
  sigmoid(x: Tensor): Tensor;
  slice(x: Tensor, begin: readonly number[], size: readonly number[]): Tensor;
  split(x: Tensor, parts: number, axis: number): Tensor[];
  stack(parts: readonly Tensor[]): Tensor;
  step(x: Tensor): Tensor;
  sub(a: Tensor, b: Tensor): Tensor;
  sum(x: Tensor, axis: number): Tensor;
  tanh(x: Tensor): Tensor;
  tensor(values: Float32Array | readonly number[], shape: readonly number[], type: 'float32' | 'int32'): Tensor;
  tidy<T>(body: () => T): T;
  unstack(x: Tensor): Tensor[];
  zeros(shape: readonly number[]): Tensor;
  backend(): unknown;
  engine(): {
    makeTensorFromTensorInfo(info: { dataId: object; shape: readonly number[]; dtype: 'float32' }): Tensor;
  };
}

/** An attribute of a TensorFlow operation. */
export interface OpAttribute {
  readonly name: string;
  readonly type: number;
  readonly value: boolean | number;
}

/** The part of tfjs-node's backend that this library uses: TensorFlow's kernels by name. */
export interface NativeBackend {
  readonly binding: {
    readonly TF_FLOAT: number;
    readonly TF_INT32: number;
    readonly TF_INT64: number;
    readonly TF_ATTR_BOOL: number;
    readonly TF_ATTR_FLOAT: number;
    readonly TF_ATTR_TYPE: number;
    loadSavedModel(folder: string, tags: string): number;
    /** `inputs` and `outputs` are names with ports, joined by commas. */
    runSavedModel(id: number, tensors: readonly number[], inputs: string, outputs: string): object[];
  };
  executeSingleOutput(name: string, attributes: readonly OpAttribute[], inputs: readonly Tensor[]): Tensor;
  executeMultipleOutputs(
    name: string,
    attributes: readonly OpAttribute[],
    inputs: readonly Tensor[],
    outputs: number,
  ): Tensor[];
  write(values: Float32Array | Int32Array, shape: readonly number[], type: 'float32' | 'int64'): object;
  createOutputTensor(metadata: object): Tensor;
  getInputTensorIds(tensors: readonly ({ readonly dataId: object } | Tensor)[]): number[];
}
