import { type Tensor, tensor } from './backend';
import type { Graph, RunGraph } from './graph';
import type { Parameters } from './parameters';

/** What is fed by name: values, row by row, and their shape. */
export type Inputs = Readonly<Record<string, readonly [values: Float32Array, shape: readonly number[]]>>;

/**
 * A network as a TensorFlow graph. Forward and written-out backward pass are one call of TensorFlow each; autograd would
 * dispatch a hundred operations.
 *
 * The graph's inputs are `parameters`, flat, those of the forward pass, and `dOutputs`, flat; it has `outputs` [R, O] and
 * `gradient`, flat in the order of the parameters.
 */
export class Network {
  private run: RunGraph | undefined;
  private weights: Tensor | undefined;
  private version = -1;

  /**
   * @param build writes the graph, at its first use.
   * @param kept what the forward pass keeps for the backward pass.
   */
  constructor(
    readonly parameters: Parameters,
    private readonly build: () => Graph,
    private readonly kept: readonly string[],
  ) {}

  /** The forward pass, with what its backward pass needs. */
  forward(inputs: Inputs): Tape {
    const feeds = upload(inputs);
    const [outputs, ...states] = this.fetch(feeds, ['outputs', ...this.kept]);
    this.kept.forEach((port, k) => feeds.set(port, states[k]));
    return new Tape(this, feeds, read(outputs));
  }

  /** The outputs alone. */
  predict(inputs: Inputs): Float32Array {
    const feeds = upload(inputs);
    const [outputs] = this.fetch(feeds, ['outputs']);
    disposeAll(feeds);
    return read(outputs);
  }

  /** What the graph computes from `feeds` and the parameters, by the names of nodes or ports such as `name:2`. */
  fetch(feeds: ReadonlyMap<string, Tensor>, ports: readonly string[]): Tensor[] {
    this.run ??= this.build().load();
    const { values, version } = this.parameters;
    // Copied to the device anew only after a change.
    if (this.version !== version) this.dispose();
    this.weights ??= tensor(values, [values.length]);
    this.version = version;
    const fed = ['parameters', ...feeds.keys()];
    return this.run([this.weights, ...feeds.values()], fed.map(portOf).join(), ports.map(portOf).join());
  }

  /** Frees the copy of the parameters on the device; the network can still be used. */
  dispose(): void {
    this.weights?.dispose();
    this.weights = undefined;
  }
}

/** A forward pass with what its backward pass needs; `backward` or `dispose` frees it. */
export class Tape {
  private isFree = false;

  /** @param outputs [R, O]. */
  constructor(
    private readonly network: Network,
    private readonly feeds: ReadonlyMap<string, Tensor>,
    readonly outputs: Float32Array,
  ) {}

  /**
   * Adds the gradient of the parameters, given that of the outputs, to theirs; frees the tape.
   *
   * @param dOutputs ∂loss/∂outputs, [R, O].
   * @throws RangeError when its length is another.
   */
  backward(dOutputs: Float32Array): void {
    if (dOutputs.length !== this.outputs.length)
      throw new RangeError(`dOutputs has ${dOutputs.length} numbers; the outputs are ${this.outputs.length}`);
    const [added] = this.fetch(['gradient'], { dOutputs: [dOutputs, [dOutputs.length]] });
    const { gradient } = this.network.parameters;
    for (let k = 0; k < added.length; k++) gradient[k] += added[k];
    this.dispose();
  }

  /**
   * The backward pass of weight·Σ(y − target)²/count; frees the tape.
   *
   * @param targets [R, O].
   * @returns Σ(y − target)².
   */
  backwardSquaredError(targets: Float32Array, weight: number, count: number): number {
    const gradient = new Float32Array(targets.length);
    let sum = 0;
    for (let k = 0; k < targets.length; k++) {
      const error = this.outputs[k] - targets[k];
      sum += error * error;
      gradient[k] = (2 * weight * error) / count;
    }
    this.backward(gradient);
    return sum;
  }

  /** What else the graph computes from the forward pass and further inputs. */
  fetch(ports: readonly string[], inputs: Inputs = {}): Float32Array[] {
    if (this.isFree) throw new Error('this tape was used, or given up');
    const more = upload(inputs);
    const found = this.network.fetch(new Map([...this.feeds, ...more]), ports);
    disposeAll(more);
    return found.map(read);
  }

  dispose(): void {
    if (!this.isFree) disposeAll(this.feeds);
    this.isFree = true;
  }
}

const portOf = (name: string): string => (name.includes(':') ? name : `${name}:0`);

function upload(inputs: Inputs): Map<string, Tensor> {
  return new Map(Object.entries(inputs).map(([name, [values, shape]]) => [name, tensor(values, shape)]));
}

function disposeAll(tensors: ReadonlyMap<string, Tensor>): void {
  for (const t of tensors.values()) t.dispose();
}

function read(x: Tensor): Float32Array {
  const values = x.dataSync();
  x.dispose();
  return values;
}
