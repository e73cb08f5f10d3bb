/** One matrix or vector of a network. */
export interface ParameterSpec {
  readonly name: string;
  readonly shape: readonly number[];
}

interface Entry extends ParameterSpec {
  readonly begin: number;
  readonly end: number;
}

/**
 * All parameters of a network in one flat array, one after the other, and their gradient in a second of the same order:
 * the optimiser is a loop over two arrays, and a checkpoint is a copy of one.
 */
export class Parameters {
  /** The values, flat. After writing into them call `changed()`. */
  readonly values: Float32Array;
  /** The gradient; backward passes add to it. */
  readonly gradient: Float32Array;
  /** Grows with every change; the holder of a copy of the values compares it. */
  version = 0;
  private readonly entries: readonly Entry[];

  constructor(specs: readonly ParameterSpec[]) {
    let begin = 0;
    this.entries = specs.map(({ name, shape }) => {
      const entry = { name, shape, begin, end: begin + shape.reduce((a, b) => a * b, 1) };
      begin = entry.end;
      return entry;
    });
    this.values = new Float32Array(begin);
    this.gradient = new Float32Array(begin);
  }

  /** Says that values were written. */
  changed(): void {
    this.version++;
  }

  /** The named part of the values, not a copy. */
  view(name: string): Float32Array {
    const found = this.entries.find((entry) => entry.name === name);
    if (found === undefined)
      throw new RangeError(`parameter ${name} does not exist; there are ${this.entries.map((e) => e.name).join(', ')}`);
    return this.values.subarray(found.begin, found.end);
  }

  /** Forgets the gradients added so far. */
  zeroGradient(): void {
    this.gradient.fill(0);
  }

  /**
   * Replaces all values, as when a checkpoint is read.
   *
   * @throws RangeError when the lengths differ.
   */
  restore(values: Float32Array): void {
    if (values.length !== this.values.length)
      throw new RangeError(`parameters are ${values.length} numbers; this network has ${this.values.length}`);
    this.values.set(values);
    this.changed();
  }

  /** The name of the first matrix with NaN or ∞ in its values or gradient, if any. */
  firstNonFinite(): string | undefined {
    // Σ 0·x is NaN if any x is NaN or ±∞: one pass without branches over what is nearly always sound.
    let sum = 0;
    for (let k = 0; k < this.values.length; k++) sum += 0 * this.values[k] + 0 * this.gradient[k];
    if (sum === 0) return undefined;
    for (const { name, begin, end } of this.entries) {
      if (!this.values.subarray(begin, end).every(Number.isFinite)) return name;
      if (!this.gradient.subarray(begin, end).every(Number.isFinite)) return `gradient of ${name}`;
    }
    return undefined;
  }
}
