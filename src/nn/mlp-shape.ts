import type { ParameterSpec } from './parameters';

/** The sizes of a network. */
export interface MlpShape {
  /** Fs, inputs that all rows of a group have in common (the servers' state of a slot); 0 for none. */
  readonly sharedInputs: number;
  /** Fr, inputs of a row's own; 0 for none, then every group is one row. */
  readonly rowInputs: number;
  /** Widths of the hidden layers. Default 128, 128, 64. */
  readonly hidden?: readonly number[];
  /** O. */
  readonly outputs: number;
}

/** G groups (slots) of U rows (requests) each; R = G·U rows. */
export interface MlpBatch {
  readonly groups: number;
  readonly rowsPerGroup: number;
  /** [G, Fs]; empty when Fs is 0. */
  readonly shared: Float32Array;
  /** [G·U, Fr]; empty when Fr is 0. */
  readonly rows: Float32Array;
}

/** [Fs + Fr, hidden…, O]. */
export function mlpSizes(shape: MlpShape): number[] {
  return [shape.sharedInputs + shape.rowInputs, ...(shape.hidden ?? [128, 128, 64]), shape.outputs];
}

/** The name of layer k's matrix [inputs, outputs] in `parameters`; the first one's upper Fs rows are for the shared inputs. */
export function weightName(layer: number): string {
  return `layer ${layer} weights`;
}

/** The name of layer k's bias in `parameters`. */
export function biasName(layer: number): string {
  return `layer ${layer} bias`;
}

/** Matrix and bias of each layer, in this order. */
export function mlpSpecs(sizes: readonly number[]): ParameterSpec[] {
  return sizes.slice(1).flatMap((width, k) => [
    { name: weightName(k), shape: [sizes[k], width] },
    { name: biasName(k), shape: [width] },
  ]);
}

/** Multiplications of a forward pass. */
export function mlpWork(shape: MlpShape, sizes: readonly number[], { groups, rowsPerGroup }: MlpBatch): number {
  const first = sizes[1];
  const perRow = sizes.slice(2).reduce((sum, width, k) => sum + width * sizes[k + 1], shape.rowInputs * first);
  return groups * (shape.sharedInputs * first + rowsPerGroup * perRow);
}

/** @throws RangeError when the arrays of a batch are not of the sizes that it names. */
export function checkBatch(shape: MlpShape, { groups, rowsPerGroup, shared, rows }: MlpBatch): void {
  const { sharedInputs, rowInputs } = shape;
  const count = groups * rowsPerGroup;
  if (rowInputs === 0 && rowsPerGroup !== 1)
    throw new RangeError(`rowsPerGroup is ${rowsPerGroup}; allowed: 1 when rowInputs is 0`);
  if (shared.length !== groups * sharedInputs)
    throw new RangeError(`shared has ${shared.length} numbers; allowed: ${groups} × ${sharedInputs}`);
  if (rows.length !== count * rowInputs)
    throw new RangeError(`rows has ${rows.length} numbers; allowed: ${count} × ${rowInputs}`);
}
