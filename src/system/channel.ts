import { hashLabel, uniformAt } from '../core/rng';
import { dbToRatio, dbmToWatts } from '../core/units';
import type { SystemConfig } from './config';

/** Users closer than this to a server count as this far, m [C]. */
const LEAST_DISTANCE_METERS = 1;

/** Large-scale gain of a link: 10^(−(PL_0 + n·log10(d_km))/10), PL_0 and n in dB, d floored at 1 m (III-B; the law is [C]). */
export function pathGain(
  distanceMeters: number,
  config: Pick<SystemConfig, 'pathLossDb' | 'pathLossDbPerDecade'>,
): number {
  const kilometers = Math.max(distanceMeters, LEAST_DISTANCE_METERS) / 1000;
  return dbToRatio(-(config.pathLossDb + config.pathLossDbPerDecade * Math.log10(kilometers)));
}

/**
 * Uplink rate of a request, bits/s: R = (B_s/|Q_s|)·log2(1 + p_i·h_{i,s} / (N_0·B_s/|Q_s|)) (III-B).
 * The server's band B_s is split equally over the slot's requests sent to it, |Q_s| >= 1.
 */
export function uplinkRate(
  bandwidthHz: number,
  requestsOnServer: number,
  powerW: number,
  gain: number,
  noiseWPerHz: number,
): number {
  const share = bandwidthHz / requestsOnServer;
  // log1p keeps the rate of a deeply faded link above 0, where 1 + x would round to 1.
  return share * Math.log1p((powerW * gain) / (noiseWPerHz * share)) * Math.LOG2E;
}

/** Transmission delay, s: D_tx = β·l_in / R (III-B), β in bits per token and R in bits/s. */
export function transmissionSeconds(beta: number, inputTokens: number, rate: number): number {
  return (beta * inputTokens) / rate;
}

/** The links between users and servers. */
export interface Channel {
  /** B_s [S], Hz. */
  readonly bandwidthHz: Float64Array;
  /** p_u [U], W; a user sends all its requests at one power. */
  readonly powerW: Float64Array;
  /** Positions of the servers [S], m. */
  readonly serverX: Float64Array;
  readonly serverY: Float64Array;
  /** N_0, W/Hz. */
  readonly noiseWPerHz: number;
  /** h_{u,s}(slot) for the user at (x, y) m; a function of its arguments, to be asked in any order. */
  gain(slot: number, user: number, server: number, x: number, y: number): number;
}

/**
 * Places S servers over a width × height area, m: rows of cells that are about square, a server at the centre of each,
 * the last row's fewer servers spread over the width [C].
 */
export function serverGrid(servers: number, width: number, height: number): { x: Float64Array; y: Float64Array } {
  const perRow = Math.min(servers, Math.max(1, Math.ceil(Math.sqrt((servers * width) / height))));
  const rows = Math.ceil(servers / perRow);
  const x = new Float64Array(servers);
  const y = new Float64Array(servers);
  for (let s = 0; s < servers; s++) {
    const row = Math.floor(s / perRow);
    const inRow = Math.min(perRow, servers - row * perRow);
    x[s] = ((s - row * perRow + 0.5) / inRow) * width;
    y[s] = ((row + 0.5) / rows) * height;
  }
  return { x, y };
}

/**
 * The channel of a run. Bandwidths are uniform on [lowest, highest] MHz, powers on [lowest, highest] dBm, drawn once,
 * each in its own stream; fading is drawn anew per slot, user and server, from its place rather than from a stream,
 * so that every scheduler meets the same links. A link's power gain under Rayleigh fading is exponential with mean 1 [C].
 */
export function createChannel(config: SystemConfig, seed: number): Channel {
  const { users, servers, pathLossDb, pathLossDbPerDecade, areaMeters } = config;
  const draws = (label: string, count: number, [lowest, highest]: readonly [number, number]): Float64Array => {
    const key = hashLabel(seed, label);
    return Float64Array.from({ length: count }, (_, i) => lowest + (highest - lowest) * uniformAt(key, i, 0, 0));
  };
  const fadingKey = hashLabel(seed, 'fading');
  const { x: serverX, y: serverY } = serverGrid(servers, areaMeters[0], areaMeters[1]);
  // pathGain in the squared distance: 10^(−PL_0/10)·(d/1000)^(−n/10) = factor·(d²)^exponent.
  const exponent = -pathLossDbPerDecade / 20;
  const factor = dbToRatio(-pathLossDb) * 1000 ** (pathLossDbPerDecade / 10);
  const floor = LEAST_DISTANCE_METERS * LEAST_DISTANCE_METERS;
  const fades = config.fading === 'rayleigh';
  return {
    bandwidthHz: draws('bandwidth', servers, config.bandwidthMHz).map((megahertz) => 1e6 * megahertz),
    powerW: draws('power', users, config.txPowerDbm).map(dbmToWatts),
    serverX,
    serverY,
    noiseWPerHz: dbmToWatts(config.noiseDbmPerHz),
    gain(slot, user, server, x, y): number {
      const dx = x - serverX[server];
      const dy = y - serverY[server];
      const squared = dx * dx + dy * dy;
      const large = factor * Math.exp(exponent * Math.log(squared < floor ? floor : squared));
      return fades ? -large * Math.log(uniformAt(fadingKey, slot, user, server)) : large;
    },
  };
}
