import { createRng } from '../core/rng';
import { CreditAssigner } from '../lyreo/credit';
import { trainingDefaults } from '../lyreo/method';
import { gpuPresets, mixGpus } from '../system/gpus';
import type { Mix, SystemConfig } from '../system/config';
import { tableOne } from '../system/presets';
import type { Claim } from './claims';
import { fact } from './judgement';
import { canonicalJson, profiles } from './matrix';
import { methodOf } from './methods';
import { HIGH_KV } from '../env/metrics';
import { type Published, publishedFacts } from './published';

/**
 * Every setting of the paper, compared with what the library has: systems with both presets, hyperparameters with the
 * defaults of LYREO. Nothing here needs a run.
 */
export function settingClaims({ settings, inferred }: Published = publishedFacts()): Claim[] {
  const config = tableOne('calibrated');
  const literal = tableOne('literal');
  const training = lyreoTraining();
  const gpus = Object.fromEntries(gpuPresets(1).map((gpu) => [gpu.name, gpu]));
  const inPresets = (field: keyof SystemConfig, scale = 1): unknown => {
    const scaled = (of: SystemConfig): unknown => {
      const value = of[field];
      return typeof value === 'number' ? value * scale : value;
    };
    const [a, b] = [scaled(config), scaled(literal)];
    return canonicalJson(a) === canonicalJson(b) ? a : { calibrated: a, literal: b };
  };
  const ofGpus = (field: 'memoryGB' | 'prefillTokensPerSecond'): Record<string, number> =>
    Object.fromEntries(Object.keys(settings.memory_GB).map((name) => [name, gpus[name][field]]));
  const ours: Readonly<Record<keyof Published['settings'], unknown>> = {
    T_slots: inPresets('slots'),
    slot_s: inPresets('slotSeconds'),
    epsilon: inPresets('balanceTolerance'),
    alpha_bytes_per_token: inPresets('kvKilobytesPerToken', 1000),
    beta_bits_per_token: inPresets('bitsPerToken'),
    memory_GB: ofGpus('memoryGB'),
    prefill_tokens_per_s: ofGpus('prefillTokensPerSecond'),
    mean_input_tokens: inPresets('meanInputTokens'),
    mean_output_tokens: inPresets('meanOutputTokens'),
    bandwidth_MHz: inPresets('bandwidthMHz'),
    tx_power_dBm: inPresets('txPowerDbm'),
    noise_psd_dBm_per_Hz: inPresets('noiseDbmPerHz'),
    gamma: training.gamma,
    clip: training.clipCoef,
    learning_rate: training.learningRate,
    ppo_epochs: training.updateEpochs,
    seeds: profiles.paper.seeds.length,
    // The output layer is one of the four.
    actor_critic: `${words[training.hidden.length + 1] ?? ''} fully connected layers each`,
    return_predictor: predictorText(),
    area_m: inPresets('areaMeters'),
    nu_default: inPresets('latencyWeight'),
    H_default: training.window,
    users_default: inPresets('users'),
    servers_default: inPresets('servers'),
    gpu_mix: Object.fromEntries(
      (Object.keys(settings.gpu_mix) as Mix[]).map((mix) => [mix, countsOf(mixGpus(mix, settings.servers_default))]),
    ),
    high_kv_threshold: HIGH_KV,
    lengths: `log-normal with the printed means, spreads ${config.sigmaInput} and ${config.sigmaOutput}`,
    decode_rate: 'a curve over the pool, fitted to the published latencies (data/calibrated.json)',
    kv_pool: `κ·M_s, κ = ${config.kvPoolFraction} (calibrated), ${literal.kvPoolFraction} (literal)`,
  };
  const isInferred = inferred.join(' ');
  return (Object.keys(settings) as (keyof Published['settings'])[]).map((name) => {
    const [paper, here] = [canonicalJson(settings[name]), canonicalJson(ours[name])];
    return {
      id: `settings.${name}`,
      artefact: 'settings',
      claim: `${name}${isInferred.includes(name) ? ' (not printed, it follows from the text)' : ''}`,
      kind: 'setting',
      paper,
      unit: '',
      tolerance: 'equal',
      needs: [],
      judge: () => fact(paper === here, `ours is ${here}`),
    };
  });
}

const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

function lyreoTraining(): ReturnType<typeof trainingDefaults> {
  const { learning, training } = methodOf('lyreo');
  if (learning === undefined) throw new Error('lyreo does not learn');
  return { ...trainingDefaults(learning), ...training };
}

/** As the networks are built. */
function predictorText(): string {
  const { learning } = methodOf('lyreo');
  if (learning === undefined) throw new Error('lyreo does not learn');
  const assigner = new CreditAssigner(tableOne('calibrated'), learning, lyreoTraining(), createRng(1));
  const lstm = assigner.predictor?.lstm;
  if (lstm === undefined) return 'none';
  const text = `${words[lstm.layers] ?? ''}-layer LSTM, hidden ${lstm.hidden}`;
  lstm.dispose();
  return text;
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
