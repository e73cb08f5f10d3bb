/** Names and shapes of matrices and vectors. */
export type Shapes = readonly (readonly [name: string, shape: readonly number[]])[];

/**
 * All parameters of a network in one flat array, one after the other, and their gradient in a second of the same order:
 * the optimiser is a loop over two arrays, and a checkpoint is a copy of one.
 */
export class Parameters {
  readonly values: Float32Array;
  /** Backward passes add to it. */
  readonly gradient: Float32Array;
  private readonly ranges: ReadonlyMap<string, readonly [begin: number, end: number]>;

  constructor(shapes: Shapes) {
    let end = 0;
    this.ranges = new Map(shapes.map(([name, shape]) => [name, [end, (end += shape.reduce((a, b) => a * b, 1))]]));
    this.values = new Float32Array(end);
    this.gradient = new Float32Array(end);
  }

  /** The named part of the values, not a copy. */
  view(name: string): Float32Array {
    const range = this.ranges.get(name);
    if (range === undefined)
      throw new RangeError(`parameter ${name} does not exist; there are ${[...this.ranges.keys()].join(', ')}`);
    return this.values.subarray(...range);
  }

  /** @throws RangeError when the values are those of another network. */
  restore(values: Float32Array): void {
    if (values.length !== this.values.length)
      throw new RangeError(`parameters are ${values.length} numbers; this network has ${this.values.length}`);
    this.values.set(values);
    this.gradient.fill(0);
  }

  /** The name of the first matrix with NaN or ∞ in its values or gradient, if any. */
  firstNonFinite(): string | undefined {
    for (const [name, range] of this.ranges) {
      if (!this.values.subarray(...range).every(Number.isFinite)) return name;
      if (!this.gradient.subarray(...range).every(Number.isFinite)) return `gradient of ${name}`;
    }
    return undefined;
  }
}
