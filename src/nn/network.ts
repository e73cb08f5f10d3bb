import { tensorflow } from './backend';
import type { Graph } from './graph';
import type { Parameters } from './parameters';

/** Values, row by row, and their shape, by the name under which the graph is fed. */
export type Inputs = Readonly<Record<string, readonly [values: Float32Array, shape: readonly number[]]>>;

/** Writes ∂loss/∂outputs into `out`, given the outputs; both [R, O]. */
export type LossGradient = (outputs: Float32Array, out: Float32Array) => void;

/**
 * A network as a TensorFlow graph. Forward and written-out backward pass are one call of TensorFlow each; autograd would
 * dispatch a hundred operations. Nothing stays on the device between two calls.
 *
 * The graph's inputs are `parameters`, flat, those of the forward pass, and `dOutputs`, flat; it has `outputs` [R, O] and
 * `gradient`, flat in the order of the parameters.
 */
export class Network {
  private id: number | undefined;

  /** @param kept ports that the forward pass keeps for the backward pass. */
  constructor(
    readonly parameters: Parameters,
    private readonly build: () => Graph,
    private readonly kept: readonly string[],
  ) {}

  /** The graph's results for the inputs, by the names of nodes or ports such as `name:2`. */
  protected fetch(inputs: Inputs, ports: readonly string[] = ['outputs']): Float32Array[] {
    return this.fed(inputs, (feeds) => this.run(feeds, ports).map(read));
  }

  /** The forward and the backward pass: adds ∂loss/∂parameters to the gradient. */
  protected backpropagate(inputs: Inputs, lossGradient: LossGradient): void {
    const [added] = this.fed(inputs, (feeds) => {
      const [outputs, ...states] = this.run(feeds, ['outputs', ...this.kept]);
      this.kept.forEach((port, k) => feeds.set(port, states[k]));
      const values = read(outputs);
      const out = new Float32Array(values.length);
      lossGradient(values, out);
      feeds.set('dOutputs', create(out, [out.length]));
      return this.run(feeds, ['gradient']).map(read);
    });
    const { gradient } = this.parameters;
    for (let k = 0; k < added.length; k++) gradient[k] += added[k];
  }

  /** Works with the parameters and inputs on the device, and deletes all that was fed. */
  private fed<T>(inputs: Inputs, work: (feeds: Map<string, number>) => T): T {
    const { values } = this.parameters;
    const all: Inputs = { parameters: [values, [values.length]], ...inputs };
    const feeds = new Map(Object.entries(all).map(([name, given]) => [name, create(...given)]));
    try {
      return work(feeds);
    } finally {
      for (const tensor of feeds.values()) tensorflow().deleteTensor(tensor);
    }
  }

  private run(feeds: ReadonlyMap<string, number>, ports: readonly string[]): number[] {
    this.id ??= this.build().load();
    const [fed, fetched] = [[...feeds.keys()], ports].map((names) =>
      names.map((name) => (name.includes(':') ? name : `${name}:0`)).join(),
    );
    const tensors = tensorflow().runSavedModel(this.id, [...feeds.values()], fed, fetched);
    return tensors.map(({ id }) => id);
  }
}

function create(values: Float32Array, shape: readonly number[]): number {
  return tensorflow().createTensor(shape, tensorflow().TF_FLOAT, values);
}

/** Takes the values off the device. */
function read(tensor: number): Float32Array {
  const values = tensorflow().tensorDataSync(tensor);
  tensorflow().deleteTensor(tensor);
  return values;
}

/** Writes the gradient of weight·Σ(y − target)²/count into `out`, all [R, O], and returns Σ(y − target)². */
export function squaredError(
  outputs: Float32Array,
  targets: Float32Array,
  weight: number,
  count: number,
  out: Float32Array,
): number {
  let sum = 0;
  for (let k = 0; k < out.length; k++) {
    const error = outputs[k] - targets[k];
    sum += error * error;
    out[k] = (2 * weight * error) / count;
  }
  return sum;
}
