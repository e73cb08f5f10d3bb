import type { Adam } from '../nn/adam';
import type { Parameters } from '../nn/parameters';

/** Numbers that a part of a learner has to remember. */
export type StateArray = Float32Array | Float64Array;

/** All that a part of a learner has to remember, by name. */
export type State = Readonly<Record<string, StateArray>>;

/** The same arrays, each with the name of the part they belong to before its own. */
export function named(part: string, state: State): State {
  return Object.fromEntries(Object.entries(state).map(([name, array]) => [`${part}: ${name}`, array]));
}

/** The arrays of a part, by their own names. */
export function partOf(state: State, part: string): State {
  const begin = `${part}: `;
  const own = Object.entries(state).filter(([name]) => name.startsWith(begin));
  return Object.fromEntries(own.map(([name, array]) => [name.slice(begin.length), array]));
}

/**
 * The array of a name.
 *
 * @throws RangeError when there is none.
 */
export function arrayOf(state: State, name: string): StateArray {
  if (!Object.hasOwn(state, name)) throw new RangeError(`"${name}" is missing`);
  return state[name];
}

/**
 * {@link arrayOf} where 32-bit numbers are expected.
 *
 * @throws RangeError when it is missing or something else.
 */
export function floatsOf(state: State, name: string): Float32Array {
  const array = arrayOf(state, name);
  if (!(array instanceof Float32Array)) throw new RangeError(`"${name}" has 64-bit numbers; allowed: 32-bit`);
  return array;
}

/** Weights and what the optimiser remembers of them. */
export function networkState(parameters: Parameters, optimiser: Adam): State {
  const { steps, mean, square } = optimiser.save();
  return { weights: parameters.values.slice(), mean, square, steps: Float64Array.of(steps) };
}

/** Continues from {@link networkState}. */
export function restoreNetwork(state: State, parameters: Parameters, optimiser: Adam): void {
  parameters.restore(floatsOf(state, 'weights'));
  parameters.zeroGradient();
  const [steps] = arrayOf(state, 'steps');
  optimiser.restore({ steps, mean: floatsOf(state, 'mean'), square: floatsOf(state, 'square') });
}
