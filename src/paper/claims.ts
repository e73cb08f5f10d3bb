import { dataJson } from '../core/files';
import type { MethodName } from './methods';
import type { MetricName, Place, Quantity, SweepName } from './quantities';
import type { SettingSource } from './settings';
import type { Section } from './sweeps';

export type ClaimKind = 'number' | 'order' | 'trend' | 'bound' | 'shape' | 'setting';

/** The rule that decides a claim, with its operands; `need`: the number of rivals or places that must hold. */
export type Rule =
  | { readonly rule: 'number'; readonly of: Quantity; readonly value: number }
  | {
      /** Each method of a group is below each of the next group, for every metric and place. */
      readonly rule: 'order';
      readonly metrics: readonly MetricName[];
      readonly groups: readonly (readonly MethodName[])[];
      readonly at?: Place;
      readonly need?: number;
      readonly among?: 'rivals' | 'places';
    }
  | { readonly rule: 'difference'; readonly less: Quantity; readonly than: Quantity }
  | { readonly rule: 'bound'; readonly of: Quantity; readonly above?: number; readonly below?: number }
  | {
      readonly rule: 'trend';
      readonly metric: MetricName;
      readonly methods: readonly MethodName[];
      readonly over: SweepName;
      readonly direction: 'rises' | 'falls' | 'neither';
      readonly upTo?: number;
    }
  | { readonly rule: 'seeds'; readonly methods: readonly MethodName[]; readonly least: number }
  | { readonly rule: 'all'; readonly parts: readonly Rule[] };

/** Claims that are counted apart: fitted by the calibration, with sweep points of our choice, or only drawn. */
export type Mark = 'fitted' | 'own grid' | 'drawn only';

/** The cause of a contradiction: a row of data/claims.json. */
export interface Cause {
  readonly id: string;
  readonly text: string;
  /** The file in `notebooks/`, and the heading over the cell that shows it. */
  readonly notebook: string;
  readonly heading: string;
}

/** A statement of the paper with the rule that decides it: a row of data/claims.json. */
export type Claim = Rule & {
  readonly id: string;
  readonly section: Section;
  /** A sentence of the paper that states several things has several rows. */
  readonly text: string;
  readonly kind: Exclude<ClaimKind, 'setting'>;
  /** The printed value as text, of a claim that is no number. */
  readonly printed?: string;
  readonly unit?: string;
  /** The special part of the rule in words. */
  readonly decides?: string;
  readonly mark?: Mark;
  /** Ids of the claims from which it follows; it is shown and not counted. */
  readonly repeats?: readonly string[];
  readonly cause?: string;
};

interface ClaimsFile {
  readonly causes: readonly Cause[];
  /** In the paper's order. */
  readonly claims: readonly Claim[];
  readonly settings: readonly SettingSource[];
}

/** The claims and the causes of contradictions; tests check their names. */
export function claimsFile(): ClaimsFile {
  return dataJson('claims.json') as ClaimsFile;
}
