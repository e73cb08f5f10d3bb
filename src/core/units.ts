/**
 * The only conversions between units with a brand name and SI. Configuration, profiles and reports speak the left-hand
 * units; everything inside the library is seconds, bytes, bits, hertz, watts and metres.
 */

/** Power in dBm to watts: 10^((x − 30)/10). */
export function dbmToWatts(dbm: number): number {
  return 10 ** ((dbm - 30) / 10);
}

/** Decibels to a power ratio: 10^(x/10). The same formula takes dB of loss, negated, to a gain. */
export function dbToRatio(db: number): number {
  return 10 ** (db / 10);
}

/** Gigabytes to bytes, decimal: 1 GB = 10⁹ bytes. */
export function gigabytesToBytes(gigabytes: number): number {
  return gigabytes * 1e9;
}

/** Kilobytes to bytes, decimal: 1 KB = 1000 bytes. */
export function kilobytesToBytes(kilobytes: number): number {
  return kilobytes * 1e3;
}
