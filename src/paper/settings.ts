import { createRng } from '../core/rng';
import { HIGH_KV } from '../env/metrics';
import type { TrainingConfig } from '../lyreo/training-config';
import type { SystemConfig } from '../system/config';
import { gpuPresets, mixGpus } from '../system/gpus';
import { systemConfig } from '../system/presets';
import { claimsFile } from './claims';
import { formatNumber } from './judgement';
import { profiles } from './profiles';
import { publishedFacts } from './published';
import { canonicalJson } from './run-spec';
import type { ScoreboardRow } from './scoreboard';
import { mixes } from './sweeps';
import { learningOf } from './train';

/** The origin of a setting of ours, and the reason of a difference: a row of data/claims.json. */
export interface SettingSource {
  /** As in data/published.json. */
  readonly name: string;
  /** A field of both presets, in units of 1/`scale`. */
  readonly system?: keyof SystemConfig;
  readonly scale?: number;
  readonly training?: keyof TrainingConfig;
  readonly gpu?: 'memoryGB' | 'prefillTokensPerSecond';
  /** Words with {fields} of the calibrated configuration. */
  readonly words?: string;
  readonly why?: string;
}

/**
 * Every setting of the paper, compared with the library's: systems with both presets, hyperparameters with the
 * defaults of LYREO. A row each of the scoreboard; nothing here needs a run.
 */
export function settingRows(): ScoreboardRow[] {
  const { settings: printed, inferred } = publishedFacts();
  const config = systemConfig('calibrated');
  const { method, training } = learningOf('lyreo');
  const presets = gpuPresets(1);
  const lstm = method.credit.create({ config, training, reward: method.reward, rng: createRng(1) }).predictor?.lstm;
  const computed: Readonly<Record<string, unknown>> = {
    seeds: profiles.paper.seeds.length,
    // The output layer is one of the four.
    actor_critic: `${words[training.hidden.length + 1]} fully connected layers each`,
    return_predictor:
      lstm === undefined ? 'none' : `${words[lstm.shape.layers]}-layer LSTM, hidden ${lstm.shape.hidden}`,
    gpu_mix: Object.fromEntries(
      mixes.map((mix) => {
        const gpus = mixGpus(mix, config.servers);
        return [mix, Object.fromEntries(gpus.map((gpu) => [gpu, gpus.filter((other) => other === gpu).length]))];
      }),
    ),
    high_kv_threshold: HIGH_KV,
    critic_learning_rate: Number(formatNumber(training.criticRate * training.learningRate)),
    early_stop: Number.isFinite(training.targetKl) ? `at a KL divergence of ${training.targetKl}` : 'none',
    returns: training.returnNorm ? 'normalised as their scale moves' : 'as they are',
  };
  const ours = ({ name, system, scale, training: hyperparameter, gpu, words: text }: SettingSource): unknown => {
    if (system !== undefined) return inPresets(system, scale);
    if (hyperparameter !== undefined) return training[hyperparameter];
    if (gpu !== undefined) return Object.fromEntries(presets.map((preset) => [preset.name, preset[gpu]]));
    return text?.replace(/{(\w+)}/g, (_, field) => String(config[field as keyof SystemConfig])) ?? computed[name];
  };
  // An entry is a list of names, or a remark that holds one.
  const isInferred = new Set(inferred.flatMap((entry) => entry.split(/\W+/)));
  return claimsFile().settings.map((source): ScoreboardRow => {
    const { name, why } = source;
    const [paper, library] = [canonicalJson(printed[name]), canonicalJson(ours(source))];
    const isSame = paper === library;
    return {
      ...unjudged,
      id: `settings.${name}`,
      figureId: 'settings',
      claim: `${name}${isInferred.has(name) ? ' (not printed, it follows from the text)' : ''}`,
      kind: 'setting',
      paper,
      tolerance: 'equal',
      verdict: isSame ? 'holds' : 'contradicted',
      reason: `ours is ${library}${isSame || why === undefined ? '' : `: ${why}`}`,
      evidence: { runs: [], notebook: null },
    };
  });
}

/** The fields of a row that no run decides. */
const unjudged = { unit: '', ours: null, of: '', lyreoPrinted: null, mark: null, repeats: [], chance: 0, cause: null };

const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** A field of the configuration, by preset where the two differ. */
function inPresets(field: keyof SystemConfig, scale = 1): unknown {
  const [calibrated, literal] = (['calibrated', 'literal'] as const).map((preset) => {
    const value = systemConfig(preset)[field];
    return typeof value === 'number' ? value * scale : value;
  });
  return canonicalJson(calibrated) === canonicalJson(literal) ? calibrated : { calibrated, literal };
}
