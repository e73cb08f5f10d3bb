import { kilobytesToBytes } from '../../src/core/units';
import type { SystemConfig } from '../../src/system/config';
import { type DecodeProfile, decodeProfile, iterationSeconds } from '../../src/system/decode-profile';
import { serverSpecs } from '../../src/system/gpus';
import { RequestTable } from '../../src/system/request-table';
import type { ServerSpec, ServingConstants } from '../../src/system/scenario';
import type { Departures, EdgeServer } from '../../src/system/server';
import { Serving } from '../../src/system/serving';
import { kvTokenIterations, tokensThatFit } from '../../src/system/token-counts';

interface Job {
  readonly handle: number;
  readonly input: number;
  readonly output: number;
  generated: number;
  decodeSeconds: number;
}

interface Prefill {
  readonly startAt: number;
  readonly endAt: number;
  readonly jobs: readonly Job[];
}

/**
 * One server of a lean loop for comparison: the same serving model (DEED), in which every iteration touches every request
 * of the running batch. Predictions must be exact, so that nothing is preempted or lost; iterations are not recorded.
 */
class LeanServer implements Omit<EdgeServer, 'fork'> {
  readonly preemptions = 0;
  slotTokenSeconds = 0;
  slotPeakTokens = 0;
  slotIterations = 0;
  requestCount = 0;
  incoming: number[] = [];
  prefillFreeAt = -Infinity;
  readonly maxTokens: number;
  private readonly profile: DecodeProfile;
  private readonly prefills: Prefill[] = [];
  private readonly line: Job[] = [];
  private readonly running: Job[] = [];
  private now = 0;

  constructor(
    readonly index: number,
    readonly spec: ServerSpec,
    private readonly constants: ServingConstants,
    private readonly table: RequestTable,
  ) {
    this.profile = decodeProfile(spec.decodeProfile);
    this.maxTokens = tokensThatFit(spec.kvCapacityBytes, constants.kvBytesPerToken);
  }

  get runningCount(): number {
    return this.running.length;
  }

  get waitingCount(): number {
    return this.line.length;
  }

  get prefillingCount(): number {
    return this.requestCount - this.runningCount - this.waitingCount;
  }

  get kvTokens(): number {
    return this.running.reduce((tokens, job) => tokens + job.input + job.generated + 1, 0);
  }

  expectedWork(): { tokens: number; tokenIterations: number } {
    const jobs = [...this.running, ...this.line, ...this.prefills.flatMap((prefill) => prefill.jobs)];
    const left = (job: Job): number =>
      kvTokenIterations(job.input, job.output) - kvTokenIterations(job.input, job.generated);
    return {
      tokens: jobs.reduce((tokens, job) => tokens + job.output - job.generated, 0),
      tokenIterations: jobs.reduce((sum, job) => sum + left(job), 0),
    };
  }

  iterationSeconds(tokens: number): number {
    return iterationSeconds(this.profile, tokens * this.constants.kvBytesPerToken);
  }

  get nextIterationAt(): number {
    if (this.running.length > 0 || this.line.length > 0) return this.now;
    return this.prefills.length === 0 ? Infinity : Math.max(this.now, this.prefills[0].endAt);
  }

  runSlot(slot: number, { completed }: Departures): void {
    const { slotSeconds } = this.constants;
    if (this.incoming.length > 0) this.receive(this.incoming, slot * slotSeconds);
    this.incoming = [];
    this.slotTokenSeconds = 0;
    this.slotPeakTokens = 0;
    this.slotIterations = 0;
    const endAt = (slot + 1) * slotSeconds;
    for (let at = this.nextIterationAt; at < endAt; at = this.nextIterationAt) {
      this.now = at;
      this.join();
      this.iterate(completed);
    }
  }

  private receive(handles: readonly number[], slotStartAt: number): void {
    const { table } = this;
    let [slowest, tokens] = [0, 0];
    for (const handle of handles) {
      slowest = Math.max(slowest, table.transmissionSeconds[handle]);
      tokens += table.inputTokens[handle];
    }
    const readyAt = slotStartAt + slowest;
    const startAt = Math.max(readyAt, this.prefillFreeAt);
    const endAt = startAt + tokens / this.spec.prefillTokensPerSecond;
    const jobs = handles.map((handle) => {
      table.synchronisedAt[handle] = readyAt;
      table.prefillStartAt[handle] = startAt;
      table.prefillEndAt[handle] = endAt;
      const [input, output] = [table.inputTokens[handle], table.outputTokens[handle]];
      return { handle, input, output, generated: 0, decodeSeconds: 0 };
    });
    this.prefills.push({ startAt, endAt, jobs });
    this.prefillFreeAt = endAt;
    this.requestCount += handles.length;
  }

  private join(): void {
    const { prefills, line, running, now } = this;
    while (prefills.length > 0 && prefills[0].endAt <= now) line.push(...(prefills.shift() as Prefill).jobs);
    while (line.length > 0 && this.fits(line[0])) {
      this.table.joinedAt[line[0].handle] = now;
      running.push(line.shift() as Job);
    }
  }

  private fits(newcomer: Job): boolean {
    const { running, maxTokens } = this;
    let most = newcomer.input + newcomer.output;
    let longest = newcomer.output;
    for (const job of running) {
      most += job.input + job.output;
      longest = Math.max(longest, job.output - job.generated);
    }
    // The sum of all final sizes settles nearly all cases.
    if (most <= maxTokens) return true;
    for (let k = 1; k <= longest; k++) {
      let tokens = newcomer.output >= k ? newcomer.input + k : 0;
      for (const job of running) if (job.output - job.generated >= k) tokens += job.input + job.generated + k;
      if (tokens > maxTokens) return false;
    }
    return true;
  }

  private iterate(completed: number[]): void {
    const { running, prefills, table, now } = this;
    let tokens = 0;
    for (const job of running) {
      job.generated++;
      tokens += job.input + job.generated;
    }
    const prefillRuns = prefills.length > 0 && prefills[0].startAt <= now;
    const seconds = this.iterationSeconds(tokens) / (prefillRuns ? 1 - this.constants.prefillSlowdown : 1);
    this.slotTokenSeconds += tokens * seconds;
    this.slotPeakTokens = Math.max(this.slotPeakTokens, tokens);
    this.slotIterations++;
    this.now = now + seconds;
    let left = 0;
    for (const job of running) {
      job.decodeSeconds += seconds;
      if (job.generated < job.output) {
        running[left++] = job;
        continue;
      }
      table.decodeSeconds[job.handle] = job.decodeSeconds;
      table.completedAt[job.handle] = this.now;
      completed.push(job.handle);
    }
    this.requestCount -= running.length - left;
    running.length = left;
  }
}

/** The servers of a system as a lean loop; they have no forks and no recorder. */
export function leanServing(config: SystemConfig): Serving {
  const constants = { ...config, kvBytesPerToken: kilobytesToBytes(config.kvKilobytesPerToken) };
  const table = new RequestTable();
  const servers = serverSpecs(config).map((spec, s) => new LeanServer(s, spec, constants, table));
  // The environment uses only what a lean server has of an `EdgeServer`.
  return new Serving([], constants, table, servers as unknown as EdgeServer[]);
}
