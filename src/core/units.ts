/**
 * The only conversions between units with a brand name, which configuration, profiles and reports speak, and SI, which is
 * all inside the library. GB and KB are decimal.
 */

/** Power in dBm to watts: 10^((x − 30)/10). */
export const dbmToWatts = (dbm: number): number => 10 ** ((dbm - 30) / 10);

/** Decibels to a power ratio: 10^(x/10). The same formula takes dB of loss, negated, to a gain. */
export const dbToRatio = (db: number): number => 10 ** (db / 10);

export const gigabytesToBytes = (gigabytes: number): number => gigabytes * 1e9;

export const kilobytesToBytes = (kilobytes: number): number => kilobytes * 1e3;
