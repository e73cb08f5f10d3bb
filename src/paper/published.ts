import { dataJson } from '../core/files';

type ThreeMethods = Readonly<Record<'LYREO' | 'Ly-PPO' | 'PPO', number>>;
type Pair = readonly [number, number];
/** Latency s, deviation, P99 s, high-KV percent. */
type Row = readonly [number, number, number, number];

/** The settings and numbers of the paper, as data/published.json has them; its statements are in data/claims.json. */
export interface Published {
  readonly source: string;
  /** By name; settings.ts has ours beside them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly fig2_convergence: Readonly<Record<'latency_s' | 'mean_virtual_queue', ThreeMethods>>;
  readonly table2: Readonly<Record<'LYREO' | 'LYREO-Count' | 'LYREO-NoLB', Row>>;
  readonly fig4_users: {
    readonly users: Pair;
    readonly servers: number;
    readonly latency_s: Readonly<Record<'LYREO' | 'Ly-PPO', Pair>>;
  };
  readonly fig7_nu: Readonly<Record<'latency_s' | 'deviation', Readonly<Record<string, number>>>>;
  /** Entries of the above that are not stated and follow from the text. */
  readonly inferred: readonly string[];
}

/** The paper's facts, as they come with the package. */
export function publishedFacts(): Published {
  return dataJson('published.json') as Published;
}
