import { decodeProfile, iterationSeconds, type DecodeProfile } from '../../src/system/decode-profile';
import { RequestTable } from '../../src/system/request-table';
import type { ServerSpec } from '../../src/system/scenario';
import type { Serving } from '../../src/system/serving';
import { slotOf } from '../../src/system/serving';
import type { ServingConstants } from '../../src/system/scenario';
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
 * of the running batch. Exact predictions only. It has the public face of `EdgeServer` that the environment uses.
 */
class LeanServer {
  /** Lengths are exact here: no request outgrows its prediction. */
  readonly preemptions: number = 0;
  slotTokenSeconds = 0;
  slotPeakTokens = 0;
  slotIterations = 0;
  prefillFreeAt = -Infinity;
  readonly maxTokens: number;
  private readonly profile: DecodeProfile;
  private prefills: Prefill[] = [];
  private line: Job[] = [];
  private running: Job[] = [];
  private now = 0;
  incoming: number[] = [];

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
    return this.prefills.reduce((n, prefill) => n + prefill.jobs.length, 0);
  }

  get kvTokens(): number {
    return this.running.reduce((tokens, job) => tokens + job.input + job.generated + 1, 0);
  }

  expectedWork(): { tokens: number; tokenIterations: number } {
    const jobs = this.all();
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

  private receive(table: RequestTable, handles: readonly number[], slotStartAt: number): void {
    let slowest = 0;
    let tokens = 0;
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
      return {
        handle,
        input: table.inputTokens[handle],
        output: table.outputTokens[handle],
        generated: 0,
        decodeSeconds: 0,
      };
    });
    this.prefills.push({ startAt, endAt, jobs });
    this.prefillFreeAt = endAt;
  }

  get nextIterationAt(): number {
    if (this.running.length > 0 || this.line.length > 0) return this.now;
    const head = this.prefills.at(0);
    return head === undefined ? Infinity : Math.max(this.now, head.endAt);
  }

  beginSlot(startAt: number): void {
    if (this.incoming.length > 0) this.receive(this.table, this.incoming, startAt);
    this.incoming = [];
    this.slotTokenSeconds = 0;
    this.slotPeakTokens = 0;
    this.slotIterations = 0;
  }

  advance(table: RequestTable, endAt: number, completed: number[]): void {
    for (let at = this.nextIterationAt; at < endAt; at = this.nextIterationAt) {
      this.now = at;
      this.join(table);
      this.iterate(table, completed);
    }
  }

  get requestCount(): number {
    return this.runningCount + this.waitingCount + this.prefillingCount;
  }

  private all(): Job[] {
    return [...this.running, ...this.line, ...this.prefills.flatMap((prefill) => prefill.jobs)];
  }

  private join(table: RequestTable): void {
    while (this.prefills.length > 0 && this.prefills[0].endAt <= this.now)
      this.line.push(...(this.prefills.shift() as Prefill).jobs);
    while (this.line.length > 0 && this.fits(this.line[0])) {
      const job = this.line.shift() as Job;
      table.joinedAt[job.handle] = this.now;
      this.running.push(job);
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

  private iterate(table: RequestTable, completed: number[]): void {
    const { running, now } = this;
    const head = this.prefills.at(0);
    let tokens = 0;
    for (const job of running) {
      job.generated++;
      tokens += job.input + job.generated;
    }
    const speed = head !== undefined && head.startAt <= now ? 1 - this.constants.prefillSlowdown : 1;
    const seconds = this.iterationSeconds(tokens) / speed;
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
    running.length = left;
  }
}

/** The servers of a system, with the public face of `Serving` that the environment uses. */
class LeanServing {
  readonly table: RequestTable = new RequestTable();
  completed: number[] = [];
  readonly lost: readonly number[] = [];
  readonly servers: readonly LeanServer[];

  constructor(
    specs: readonly ServerSpec[],
    readonly constants: ServingConstants,
  ) {
    this.servers = specs.map((spec, s) => new LeanServer(s, spec, constants, this.table));
  }

  submit(handle: number): void {
    this.servers[this.table.server[handle]].incoming.push(handle);
  }

  get requestCount(): number {
    return this.servers.reduce((sum, server) => sum + server.requestCount, 0);
  }

  runSlot(slot: number): void {
    this.completed = [];
    for (const server of this.servers) {
      server.beginSlot(slot * this.constants.slotSeconds);
      server.advance(this.table, (slot + 1) * this.constants.slotSeconds, this.completed);
    }
  }

  nextBusySlot(): number {
    return slotOf(Math.min(...this.servers.map((server) => server.nextIterationAt)), this.constants.slotSeconds);
  }
}

/** The lean loop, to be handed to an environment in place of `Serving`; it has no forks and no recorder. */
export function leanServing(specs: readonly ServerSpec[], constants: ServingConstants): Serving {
  // The environment uses only the members above.
  return new LeanServing(specs, constants) as unknown as Serving;
}
