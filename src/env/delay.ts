/**
 * Numbers of the servers as they were some slots ago, for schedulers whose reports take that long. One per quantity.
 */
export class Delay {
  /** The last `slots` + 1 reports, slot t's at t mod (slots + 1). */
  private readonly reports: readonly Float64Array[];

  /**
   * @param slots how old the numbers are, at least 0.
   * @param size numbers per report, S.
   */
  constructor(
    private readonly slots: number,
    size: number,
  ) {
    this.reports = Array.from({ length: slots + 1 }, () => new Float64Array(size));
  }

  /**
   * Keeps the numbers of slot t and puts those of slot t − `slots` in their place; before there are any, slot 0's. Slots
   * come one after the other; the same one may come again with the same numbers.
   *
   * @param numbers [size], overwritten.
   */
  pass(slot: number, numbers: Float64Array): void {
    const { reports, slots } = this;
    reports[slot % reports.length].set(numbers);
    numbers.set(reports[Math.max(0, slot - slots) % reports.length]);
  }

  /** Takes over what another of the same size keeps. */
  copyFrom(other: Delay): void {
    this.reports.forEach((report, k) => {
      report.set(other.reports[k]);
    });
  }
}
