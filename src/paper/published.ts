import { dataFile, readTextFile } from '../core/files';
import { parseJson } from '../core/parse';
import type { Mix } from '../system/config';

type ThreeMethods = Readonly<Record<'LYREO' | 'Ly-PPO' | 'PPO', number>>;
type ThreeGpus = Readonly<Record<'rtx3080' | 'rtx3090' | 'rtx4090', number>>;
type Pair = readonly [number, number];
/** Latency s, deviation, P99 s, high-KV percent. */
type Row = readonly [number, number, number, number];

/** The settings and numbers of the paper, as data/published.json has them; its statements are in data/claims.json. */
export interface Published {
  readonly source: string;
  readonly settings: {
    readonly T_slots: number;
    readonly slot_s: number;
    readonly epsilon: number;
    readonly alpha_bytes_per_token: number;
    readonly beta_bits_per_token: number;
    readonly memory_GB: ThreeGpus;
    readonly prefill_tokens_per_s: ThreeGpus;
    readonly mean_input_tokens: number;
    readonly mean_output_tokens: number;
    readonly bandwidth_MHz: Pair;
    readonly tx_power_dBm: Pair;
    readonly noise_psd_dBm_per_Hz: number;
    readonly gamma: number;
    readonly clip: number;
    readonly learning_rate: number;
    readonly ppo_epochs: number;
    readonly seeds: number;
    readonly actor_critic: string;
    readonly return_predictor: string;
    readonly area_m: Pair;
    readonly nu_default: number;
    readonly H_default: number;
    readonly users_default: number;
    readonly servers_default: number;
    readonly gpu_mix: Readonly<Record<Mix, Partial<ThreeGpus>>>;
    readonly high_kv_threshold: number;
    readonly lengths: string;
    readonly decode_rate: string;
    readonly decode_curve: string;
    readonly kv_pool: string;
    readonly balance_unit: number;
    readonly critic_learning_rate: number;
    readonly probability_ratio: string;
    readonly early_stop: string;
    readonly returns: string;
    readonly arrivals: string;
    readonly redistribution: string;
    readonly model: string;
    readonly framework: string;
  };
  readonly fig2_convergence: { readonly latency_s: ThreeMethods; readonly mean_virtual_queue: ThreeMethods };
  readonly table2: Readonly<Record<'LYREO' | 'LYREO-Count' | 'LYREO-NoLB', Row>> & {
    readonly percent_against_LYREO: Readonly<Record<'LYREO-Count' | 'LYREO-NoLB', Row>>;
  };
  readonly fig4_users: {
    readonly users: Pair;
    readonly servers: number;
    readonly latency_s: Readonly<Record<'LYREO' | 'Ly-PPO', Pair>>;
  };
  readonly fig5_servers: { readonly users: number };
  readonly fig7_nu: {
    readonly nu_range: Pair;
    readonly latency_s: Readonly<Record<string, number>>;
    readonly deviation: Readonly<Record<string, number>>;
  };
  readonly fig8_truncation: { readonly H_max: number; readonly H_default: number };
  /** Entries of the above that are not stated and follow from the text. */
  readonly inferred: readonly string[];
}

/** The paper's facts, as they come with the package. */
export function publishedFacts(): Published {
  const file = dataFile('published.json');
  return parseJson(readTextFile(file), file) as Published;
}
