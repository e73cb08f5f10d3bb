import { invalid } from '../core/errors';
import { type LearningMethod, trainingDefaults } from './method';
import type { TrainingConfig } from './training-config';

interface Check {
  readonly allowed: string;
  accepts(value: unknown): boolean;
}

function numbers(allowed: string, accepts: (x: number) => boolean): Check {
  return { allowed, accepts: (value) => typeof value === 'number' && accepts(value) };
}

const share: Check = numbers('a number from 0 to 1', (x) => x >= 0 && x <= 1);
const discount: Check = numbers('a number in [0, 1)', (x) => x >= 0 && x < 1);
const positive: Check = numbers('a finite number > 0', (x) => x > 0 && Number.isFinite(x));
const nonNegative: Check = numbers('a finite number >= 0', (x) => x >= 0 && Number.isFinite(x));
const limit: Check = numbers('a number > 0, or Infinity', (x) => x > 0);
const finite: Check = numbers('a finite number', Number.isFinite);
const count: Check = numbers('an integer from 1 to 1000000', (x) => Number.isInteger(x) && x >= 1 && x <= 1_000_000);
const wholeFrom0: Check = numbers(
  'an integer from 0 to 1000000',
  (x) => Number.isInteger(x) && x >= 0 && x <= 1_000_000,
);
function oneOf(...words: readonly string[]): Check {
  return {
    allowed: words.map((word) => `"${word}"`).join(' or '),
    accepts: (value) => words.some((word) => word === value),
  };
}
const widths: Check = {
  allowed: 'one to eight integers from 1 to 4096, the layers’ widths',
  accepts: (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= 8 &&
    value.every((x) => Number.isInteger(x) && x >= 1 && x <= 4096),
};

/** What a field may be where its kind alone does not say it. */
const checks: Partial<Record<keyof TrainingConfig, Check>> = {
  gamma: discount,
  gaeLambda: share,
  immediateLambda: share,
  clipCoef: positive,
  learningRate: positive,
  updateEpochs: count,
  minibatches: count,
  entCoef: nonNegative,
  vfCoef: nonNegative,
  maxGradNorm: limit,
  targetKl: limit,
  learningRateHalfLife: limit,
  criticRate: positive,
  ratio: oneOf('per request', 'per slot'),
  draws: oneOf('independent', 'stratified'),
  independentShare: share,
  burstSlots: wholeFrom0,
  heldOutEpisodes: wholeFrom0,
  heldOutSlots: count,
  queueSeen: oneOf('always', 'with virtual queue'),
  penaltyUnit: oneOf('tolerance', 'printed'),
  windowStride: wholeFrom0,
  memoryWeight: nonNegative,
  fixedPenalty: nonNegative,
  hidden: widths,
  window: count,
  predictorSteps: count,
  predictorBatch: count,
  predictorLearningRate: positive,
  predictorMemory: count,
  returnToGoGamma: numbers('a number in (0, 1)', (x) => x > 0 && x < 1),
  fullQuality: positive,
};

/** A field without a row of its own must be of its default's kind. */
function kindOf(standard: unknown): Check {
  if (typeof standard === 'number') return finite;
  const kind = typeof standard;
  return { allowed: `a ${kind}`, accepts: (value) => typeof value === kind };
}

/**
 * The hyperparameters of a training: the method's defaults, with some fields replaced.
 *
 * @param where what a complaint begins with.
 * @throws UserError naming the field, its value and what is allowed.
 */
export function trainingConfig(
  method: LearningMethod,
  overrides: Partial<TrainingConfig>,
  where = 'training',
): TrainingConfig {
  const defaults = trainingDefaults(method);
  const training = { ...defaults, ...overrides };
  for (const [name, value] of Object.entries(training)) {
    if (!Object.hasOwn(defaults, name))
      throw invalid(`${where}: ${name}`, value, `one of ${Object.keys(defaults).join(', ')}`);
    const check = checks[name as keyof TrainingConfig] ?? kindOf(defaults[name as keyof TrainingConfig]);
    if (!check.accepts(value)) throw invalid(`${where}: ${name}`, value, check.allowed);
  }
  if (training.ratio === 'per slot' && training.draws === 'stratified' && training.independentShare < 1)
    throw invalid(
      `${where}: ratio`,
      training.ratio,
      '"per request" where independentShare is below 1: the product of a slot\'s probabilities is not the density of stratified draws',
    );
  return training;
}
