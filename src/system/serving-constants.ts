import type { Admission, Batching } from './scenario';

/** The constants that all servers of a system share. */
export interface ServingConstants {
  /** Δ, s. */
  readonly slotSeconds: number;
  /** α, bytes/token. */
  readonly kvBytesPerToken: number;
  /** w, III-C2. */
  readonly prefillSlowdown: number;
  readonly batching: Batching;
  /** See {@link Admission}. Default 'predicted-length'. */
  readonly admission?: Admission | undefined;
}
