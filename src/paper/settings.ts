import { createRng } from '../core/rng';
import { gigabytesToBytes } from '../core/units';
import { trainingDefaults } from '../lyreo/method';
import { gpuPresets, mixGpus } from '../system/gpus';
import type { Mix, SystemConfig } from '../system/config';
import { tableOne } from '../system/presets';
import { slotRequests, syntheticWorkload } from '../system/workload';
import { formatNumber } from './judgement';
import { profiles } from './profiles';
import { canonicalJson } from './run-spec';
import { methodOf } from './methods';
import { HIGH_KV } from '../env/metrics';
import { type Published, publishedFacts } from './published';

type SettingName = keyof Published['settings'];

/** A setting of the paper beside the library's. */
export interface Setting {
  readonly name: SettingName;
  /** It is not printed and follows from the text. */
  readonly isInferred: boolean;
  /** The printed value and ours, as JSON. */
  readonly printed: string;
  readonly ours: string;
  readonly isSame: boolean;
  /** The reason of a difference. */
  readonly why?: string | undefined;
}

/**
 * Every setting of the paper, compared with what the library has: systems with both presets, hyperparameters with the
 * defaults of LYREO. Nothing here needs a run.
 */
export function settings({ settings: printed, inferred, table2 }: Published = publishedFacts()): Setting[] {
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
    Object.fromEntries(Object.keys(printed.memory_GB).map((name) => [name, gpus[name][field]]));
  const ours: Readonly<Record<SettingName, unknown>> = {
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
      (Object.keys(printed.gpu_mix) as Mix[]).map((mix) => [mix, countsOf(mixGpus(mix, printed.servers_default))]),
    ),
    high_kv_threshold: HIGH_KV,
    lengths: `log-normal with the printed means, spreads ${config.sigmaInput} and ${config.sigmaOutput}`,
    decode_rate: 'a curve over the pool, fitted to the published latencies (data/calibrated.json)',
    decode_curve: decodeCurveText(config),
    kv_pool: `κ·M_s, κ = ${config.kvPoolFraction} (calibrated), ${literal.kvPoolFraction} (literal)`,
    balance_unit: inPresets('balanceUnit'),
    critic_learning_rate: Number(formatNumber(training.criticRate * training.learningRate)),
    probability_ratio: training.ratio,
    early_stop: Number.isFinite(training.targetKl) ? `at a KL divergence of ${training.targetKl}` : 'none',
    returns: training.returnNorm ? 'normalised as their scale moves' : 'as they are',
    arrivals: arrivalsText(config),
    redistribution:
      methodOf('lyreo').learning?.credit.id === 'printed'
        ? printed.redistribution
        : 'of completed latency by request, with a prediction per server of what it changed for others',
    model: 'none: its tokens are counted, not computed',
    framework: 'TensorFlow.js',
  };
  const inPrintedPanel = 'the learners (printed) have the printed one; notebook 23 has the difference that it makes';
  const filled = poolShare(config, printed, table2.LYREO[0]);
  /** The reason of a difference. */
  const why: Partial<Record<SettingName, string>> = {
    lengths: 'the data set is gated, and the paper prints only the means; lengthsFile takes a trace of one’s own',
    decode_rate: 'the paper prints no value of it; gpuProfilesFile takes one’s own',
    kv_pool: `of the whole memory the load holds some ${formatNumber(100 * filled)} %, so that no server could come near ${100 * HIGH_KV} % of it, as the paper’s do`,
    H_default: 'another form of redistribution; LYREO (printed) has the paper’s H',
    redistribution: 'LYREO (printed) has the printed form',
    balance_unit: 'with 1 balance would weigh next to nothing against seconds; literal keeps it',
    critic_learning_rate: inPrintedPanel,
    probability_ratio: inPrintedPanel,
    early_stop: inPrintedPanel,
    returns: 'notebook 23 has the difference that it makes',
    model: 'the rates of the three GPUs stand for it',
    framework: 'the package runs under Node.js; the same equations',
  };
  // An entry is a list of names, or a remark that holds one.
  const isInferred = new Set(inferred.flatMap((entry) => entry.split(/\W+/)));
  return (Object.keys(printed) as SettingName[]).map((name) => {
    const [paper, library] = [canonicalJson(printed[name]), canonicalJson(ours[name])];
    return {
      name,
      isInferred: isInferred.has(name),
      printed: paper,
      ours: library,
      isSame: paper === library,
      why: why[name],
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
  const setup = {
    config: tableOne('calibrated'),
    training: lyreoTraining(),
    reward: learning.reward,
    rng: createRng(1),
  };
  const lstm = learning.credit.create(setup).predictor?.lstm;
  if (lstm === undefined) return 'none';
  const text = `${words[lstm.shape.layers] ?? ''}-layer LSTM, hidden ${lstm.shape.hidden}`;
  lstm.dispose();
  return text;
}

/** The shape of the decode curves of every GPU in both presets. */
function decodeCurveText({ kvPoolFraction }: SystemConfig): string {
  const falls = [kvPoolFraction, 1]
    .flatMap((fraction) => gpuPresets(fraction))
    .every(({ decodeProfile }) =>
      decodeProfile.every(
        (point, i) => i === 0 || point.iterationsPerSecond <= decodeProfile[i - 1].iterationsPerSecond,
      ),
    );
  return `${falls ? 'non-increasing' : 'not monotone'} in the KV occupation`;
}

/** As the workload of the presets issues them, in some slots. */
function arrivalsText(config: SystemConfig): string {
  const workload = syntheticWorkload(config, 1);
  const requests = slotRequests(workload.maxRequestsPerSlot);
  const isOneEach = [0, 1, config.slots - 1].every((slot) => {
    workload.fill(slot, requests);
    return requests.count === config.users && new Set(requests.user.subarray(0, requests.count)).size === config.users;
  });
  return isOneEach ? 'one request per user and slot' : 'others';
}

/**
 * The share of all GPU memory that the requests in the system hold at most, by Little's law: U/Δ·D·(l_in + l_out)·α over
 * the sum of M_s.
 */
function poolShare(config: SystemConfig, settings: Published['settings'], latencySeconds: number): number {
  const memoryBytes = mixGpus(config.mix, config.servers)
    .map((name) => gigabytesToBytes(settings.memory_GB[name as keyof Published['settings']['memory_GB']]))
    .reduce((sum, bytes) => sum + bytes, 0);
  const requests = (config.users / config.slotSeconds) * latencySeconds;
  const tokens = settings.mean_input_tokens + settings.mean_output_tokens;
  return (requests * tokens * settings.alpha_bytes_per_token) / memoryBytes;
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
