import { invalid } from '../../core/errors';
import type { Rng } from '../../core/rng';
import type { Reward } from '../../env/reward';
import type { SystemConfig } from '../../system/config';
import { type PredictorBatch, type PredictorState, ReturnPredictor } from '../return-predictor';
import { PREDICTOR_FEATURES, type Rollout } from '../rollout';
import type { TrainingConfig } from '../training-config';

/** The input of PPO: an advantage per request and targets of the critic's two heads. */
export interface Credit {
  /** [T·U]. */
  readonly advantages: Float32Array;
  /** Latency head and immediate head, [T, 2]. */
  readonly targets: Float64Array;
  /** Quality of the predictor on the new rollout, before it learned from it; like all below only with a predictor. */
  readonly quality?: number;
  /** Its mean squared error while it learned, normalised. */
  readonly predictorLoss?: number;
  /** Redistributed reward r' of every slot, [T]. */
  readonly redistributed?: Float64Array;
  /** Predicted return to go after every slot's decision, g_t or Q_t, summed over servers, [T]. */
  readonly returnToGo?: Float64Array;
  /** q_i(s), the change that request i would make in the return to go of server s, [T·U, S]; only `request` has it. */
  readonly marginalEffect?: Float64Array;
  /** Weights of the heads later, earlier and balance, [3]; only `request` has them. */
  readonly headWeights?: readonly number[];
  /** The summands of the advantages; only `request` has them. */
  readonly parts?: CreditParts;
}

/** The summands of a request's advantage, which is their sum less the slot's mean, plus `shared`, normalised per slot. */
export interface CreditParts {
  /** Its own latency, [T·U]. */
  readonly own: Float32Array;
  /** Its predicted effect on the latency of others, [T·U]. */
  readonly others: Float32Array;
  /** Its predicted effect on the balance, [T·U]. */
  readonly balance: Float32Array;
  /** Advantage of the slot's immediate terms, which its requests share, [T]. */
  readonly shared: Float64Array;
}

/** Turns rollouts into credit: the second step of Algorithm 1. */
export interface CreditRule {
  readonly id: string;
  /**
   * The credit of a rollout; a rule with a predictor learns from it.
   *
   * @param values V of the latency and the immediate stream, [T + 1, 2].
   * @param rng draws the predictor's windows.
   */
  assign(rollout: Rollout, values: Float64Array, rng: Rng): Credit;
  /** All that `restore` needs, a copy: JSON and typed arrays. A rule without it has no memory. */
  save?(): unknown;
  restore?(state: unknown): void;
  readonly predictor?: ReturnPredictor;
}

/** All that a rule may depend on. */
export interface CreditSetup {
  readonly config: SystemConfig;
  readonly training: TrainingConfig;
  readonly reward: Reward;
  /** Initialises a predictor's weights. */
  readonly rng: Rng;
}

/** Makes a credit rule for a training. A learning method names one. */
export interface CreditFactory {
  /** Enters run keys and checkpoints; another rule has another id. */
  readonly id: string;
  /** Hyperparameters that differ from the defaults. */
  readonly defaults?: Partial<TrainingConfig>;
  create(setup: CreditSetup): CreditRule;
}

/**
 * Wraps a function without memory into a credit rule; each rule has an id of its own.
 *
 * @throws UserError when the id is empty.
 */
export function creditRule(
  id: string,
  assign: (rollout: Rollout, values: Float64Array, setup: CreditSetup, rng: Rng) => Credit,
): CreditFactory {
  if (id === '') throw invalid('id of a credit rule', id, 'a name of its own');
  return {
    id,
    create: (setup) => ({ id, assign: (rollout, values, rng) => assign(rollout, values, setup, rng) }),
  };
}

/** The setup of a rule with a return predictor. */
export interface PredictorSetup extends CreditSetup {
  readonly predictor: ReturnPredictor;
  /** Adds a rollout to the memory and takes the predictor's gradient steps; returns its normalised squared error. */
  readonly learn: (batch: PredictorBatch, rng: Rng) => number;
}

/**
 * A credit rule with a return predictor, which learns from the last rollouts.
 *
 * @param heads outputs of a predictor that sees one server at a time; one that sees all servers together has one.
 * @param knee rewards smaller than this, in seconds per user, are predicted linearly, larger ones by their logarithm.
 */
export function predictorRule(
  { id, defaults = {}, heads, knee = Infinity }: Omit<CreditFactory, 'create'> & { heads?: number; knee?: number },
  assign: (rollout: Rollout, values: Float64Array, setup: PredictorSetup, rng: Rng) => Credit,
): CreditFactory {
  const create = (setup: CreditSetup): CreditRule => {
    const { predictorLearningRate: learningRate, predictorSteps: steps, predictorBatch: batch } = setup.training;
    const config = { window: setup.training.window, steps, batch, learningRate, hidden: 64, layers: 2, knee };
    const inputs = PREDICTOR_FEATURES * (heads === undefined ? setup.config.servers : 1);
    const predictor = new ReturnPredictor(inputs, heads ?? 1, config, setup.rng);
    // Shared with the rollouts; nobody writes into them.
    let memory: readonly PredictorBatch[] = [];
    const learn = (newest: PredictorBatch, rng: Rng): number => {
      memory = [...memory, newest].slice(-setup.training.predictorMemory);
      return predictor.train(memory, rng);
    };
    return {
      id,
      predictor,
      assign: (rollout, values, rng) => assign(rollout, values, { ...setup, predictor, learn }, rng),
      save: () => ({ predictor: predictor.save(), memory }),
      restore(state) {
        const saved = state as { predictor: PredictorState; memory: readonly PredictorBatch[] };
        predictor.restore(saved.predictor);
        memory = saved.memory;
      },
    };
  };
  return { id, defaults, create };
}
