import { invalid } from '../core/errors';
import { type LearningMethod, type MethodIds, trainingConfig } from '../lyreo/method';
import { type TrainOptions, type TrainResult, train as trainMethod } from '../lyreo/train';
import type { TrainingConfig } from '../lyreo/training-config';
import { type MethodName, creditRules, methods, rewards } from './methods';

/** The names of the methods that learn. */
export const learningMethods: readonly MethodName[] = (Object.keys(methods) as MethodName[]).filter(
  (name) => methods[name].learning !== undefined,
);

/**
 * The learning method and the hyperparameters of a method.
 *
 * @throws UserError when it does not learn, a hyperparameter is not allowed, or a function of yours has the id of one of
 * the library's.
 */
export function learningOf(
  method: MethodName | LearningMethod,
  overrides: Partial<TrainingConfig> = {},
): { readonly method: LearningMethod; readonly training: TrainingConfig } {
  if (typeof method === 'object') {
    checkIds('credit rule', method.credit, creditRules);
    checkIds('reward', method.reward, rewards);
    return { method, training: trainingConfig(method, overrides) };
  }
  const { learning, training } = (methods as Partial<typeof methods>)[method] ?? {};
  if (learning === undefined) throw invalid('method', method, `one that learns: ${learningMethods.join(', ')}`);
  return { method: learning, training: trainingConfig(learning, { ...training, ...overrides }) };
}

/** Run keys and files know a function by its id alone. */
function checkIds<T extends { readonly id: string }>(noun: string, own: T, known: readonly T[]): void {
  if (known.every((other) => other === own || other.id !== own.id)) return;
  throw invalid(`id of your ${noun}`, own.id, `another one than ${known.map(({ id }) => id).join(', ')}`);
}

/**
 * The method of a file, from the ids that stand in it.
 *
 * @param where the file.
 * @throws UserError when an id is of a function that the paper's methods do not have, such as one of your own.
 */
export function learningByIds(ids: MethodIds, where: string): LearningMethod {
  const find = <T extends { readonly id: string }>(field: 'credit' | 'reward', known: readonly T[]): T => {
    const found = known.find(({ id }) => id === ids[field]);
    if (found !== undefined) return found;
    const names = known.map(({ id }) => id).join(', ');
    throw invalid(`${where}: ${field}`, ids[field], `${names}; one of your own is known to the program that has it`);
  };
  const [credit, reward] = [find('credit', creditRules), find('reward', rewards)];
  return { credit, reward, balanceMeasure: ids.balanceMeasure };
}

/** A training of a method by name, or as data. */
export type NamedTrainOptions = Omit<TrainOptions, 'method'> & { readonly method: MethodName | LearningMethod };

/**
 * Trains a method by name, or as data, update by update; timers, input and signals have their turn in between. Killed at
 * any moment and resumed, a training in a folder leaves the same log and the same weights as one that was left alone.
 *
 * @throws UserError when options are wrong, the folder has another training, or a file that the configuration names
 * has changed since the training was begun.
 * @throws DivergenceError naming the quantity that is not finite; the folder keeps its last checkpoint, and the log up to there.
 */
export async function train(options: NamedTrainOptions): Promise<TrainResult> {
  return trainMethod({ ...options, ...learningOf(options.method, options.training) });
}
