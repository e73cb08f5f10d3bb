import { UserError } from '../../src/core/errors';
import type {
  RejectedRequest,
  ReplayedIteration,
  ReplayedRequest,
  ReplayedSlot,
  ReplayResult,
} from '../../src/system/replay';
import type { Scenario, ScenarioRequest, ServerSpec } from '../../src/system/scenario';

/**
 * A deliberately naive replay of a scenario: token by token, every active request in every iteration, no shortcut.
 * It was written from the rules of the scenario format alone and shares no code with the engine, so that the two agreeing
 * means something. Rule numbers below are those of the format's page.
 */

/** One request on its server. */
interface Job {
  readonly request: ScenarioRequest;
  readonly predicted: number;
  readonly slotStartsAt: number;
  readonly prefillSeconds: number;
  generated: number;
  /** Sum of the iterations of its earlier stays in the running batch. */
  earlierSeconds: number;
  preemptions: number;
  joinedAt: number;
  decodeSeconds: number;
}

/** One slot's requests for one server, prefilled together. */
interface PrefillBatch {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly jobs: readonly Job[];
}

/** Compares two strings by code points; `<` compares UTF-16 units, which sorts U+FF5E after U+1F600. */
function byCodePoints(a: string, b: string): number {
  const left = Array.from(a, (c) => c.codePointAt(0) ?? 0);
  const right = Array.from(b, (c) => c.codePointAt(0) ?? 0);
  for (let i = 0; i < left.length && i < right.length; i++) if (left[i] !== right[i]) return left[i] - right[i];
  return left.length - right.length;
}

/** 1/v at an occupation: linear in the KV bytes between points, the nearest point outside. [s] */
function iterationSeconds(server: ServerSpec, kvBytes: number): number {
  const points = server.decodeProfile;
  const first = points[0];
  const last = points[points.length - 1];
  if (kvBytes <= first.kvBytes) return 1 / first.iterationsPerSecond;
  if (kvBytes >= last.kvBytes) return 1 / last.iterationsPerSecond;
  const right = points.findIndex((point) => point.kvBytes > kvBytes);
  const [a, b] = [points[right - 1], points[right]];
  const [secondsA, secondsB] = [1 / a.iterationsPerSecond, 1 / b.iterationsPerSecond];
  return secondsA + ((secondsB - secondsA) * (kvBytes - a.kvBytes)) / (b.kvBytes - a.kvBytes);
}

/** Rule 4: the slot t with t·Δ ≤ x < (t+1)·Δ. */
function slotAt(at: number, slotSeconds: number): number {
  let t = Math.floor(at / slotSeconds);
  while (t * slotSeconds > at) t--;
  while ((t + 1) * slotSeconds <= at) t++;
  return t;
}

/** Rule 7: a request that outgrows its server's memory. */
export function isOversized(scenario: Scenario, request: ScenarioRequest): boolean {
  const bytes = scenario.kvBytesPerToken * (request.inputTokens + request.outputTokens);
  return scenario.servers.some((server) => server.name === request.server && bytes > server.kvCapacityBytes);
}

/**
 * A request that its server refuses on arrival: oversized, and its prediction tells. With the admission 'true-length' all
 * oversized ones are refused.
 */
export function isRefused(scenario: Scenario, request: ScenarioRequest): boolean {
  const predicted = request.predictedTokens ?? request.outputTokens;
  const told = scenario.admission === 'true-length' || isOversized(scenario, { ...request, outputTokens: predicted });
  return told && isOversized(scenario, request);
}

/** Tokens that a server takes a request to generate: the prediction, cut to what the pool can hold beside the input. */
function predictedTokens(request: ScenarioRequest, scenario: Scenario, server: ServerSpec): number {
  let tokens = request.predictedTokens ?? request.outputTokens;
  while (scenario.kvBytesPerToken * (request.inputTokens + tokens) > server.kvCapacityBytes) tokens--;
  return tokens;
}

/** Rule 1: the batch of slot t for this server, prefilled after all batches before it; undefined when there is none. */
function slotBatch(
  scenario: Scenario,
  server: ServerSpec,
  t: number,
  before: readonly PrefillBatch[],
): PrefillBatch | undefined {
  const requests = scenario.slots[t].requests.filter((r) => r.server === server.name && !isRefused(scenario, r));
  if (requests.length === 0) return undefined;
  const slotStartsAt = t * scenario.slotSeconds;
  const receivedAt = slotStartsAt + Math.max(...requests.map((r) => r.transmissionSeconds));
  const startsAt = Math.max(receivedAt, ...before.map((batch) => batch.endsAt));
  const inputTokens = requests.reduce((sum, r) => sum + r.inputTokens, 0);
  const endsAt = startsAt + inputTokens / server.prefillTokensPerSecond;
  const jobs = requests.map((request) => ({
    request,
    predicted: predictedTokens(request, scenario, server),
    slotStartsAt,
    prefillSeconds: endsAt - startsAt,
    generated: 0,
    earlierSeconds: 0,
    preemptions: 0,
    joinedAt: Number.NaN,
    decodeSeconds: 0,
  }));
  return { startsAt, endsAt, jobs };
}

/** A preempted request's input and tokens, prefilled after all batches before it. */
function recomputation(job: Job, now: number, before: readonly PrefillBatch[], server: ServerSpec): PrefillBatch {
  const startsAt = Math.max(now, ...before.map((batch) => batch.endsAt));
  const tokens = job.request.inputTokens + job.generated;
  return { startsAt, endsAt: startsAt + tokens / server.prefillTokensPerSecond, jobs: [job] };
}

/** Tokens that a request is taken to generate from now on: by its true length, or by what its server can know. */
function rest(job: Job, scenario: Scenario): number {
  if (scenario.admission === 'true-length') return job.request.outputTokens - job.generated;
  return Math.max(1, job.predicted - job.generated);
}

/** Rule 3, deed: no future iteration of the running requests and this one is above capacity. */
function fitsDeed(running: readonly Job[], job: Job, scenario: Scenario, server: ServerSpec): boolean {
  const all = [...running, job];
  const longest = Math.max(...all.map((j) => rest(j, scenario)));
  for (let k = 1; k <= longest; k++) {
    let tokens = 0;
    for (const j of all) if (rest(j, scenario) >= k) tokens += j.request.inputTokens + j.generated + k;
    if (scenario.kvBytesPerToken * tokens > server.kvCapacityBytes) return false;
  }
  return true;
}

/** Rule 3, static: the new batch and this request at their full lengths. */
function fitsStatic(batch: readonly Job[], job: Job, scenario: Scenario, server: ServerSpec): boolean {
  let tokens = 0;
  for (const j of [...batch, job]) tokens += j.request.inputTokens + j.generated + rest(j, scenario);
  return scenario.kvBytesPerToken * tokens <= server.kvCapacityBytes;
}

/** Bytes of the next iteration: every request holds its input, its tokens and, if it generates, one more. */
function nextBytes(running: readonly Job[], scenario: Scenario): number {
  let tokens = 0;
  for (const job of running) tokens += job.request.inputTokens + Math.min(job.generated + 1, job.request.outputTokens);
  return scenario.kvBytesPerToken * tokens;
}

function completed(job: Job, completedAt: number): ReplayedRequest {
  const { id, transmissionSeconds: transmission } = job.request;
  const total = completedAt - job.slotStartsAt;
  const waiting = total - transmission - job.prefillSeconds - job.decodeSeconds;
  const preempted = job.preemptions > 0 ? { preemptions: job.preemptions } : {};
  return {
    id,
    completedAt,
    transmission,
    prefill: job.prefillSeconds,
    decode: job.decodeSeconds,
    waiting,
    total,
    ...preempted,
  };
}

/** Rules 2 to 6 for one server; servers share nothing. */
function replayServer(
  scenario: Scenario,
  server: ServerSpec,
  done: (ReplayedRequest | RejectedRequest)[],
): ReplayedIteration[] {
  const deed = scenario.batching === 'deed';
  const batches: PrefillBatch[] = [];
  const rows: ReplayedIteration[] = [];
  const line: Job[] = [];
  let nextSlot = 0;
  let joinedBatches = 0;
  let running: Job[] = [];
  let now = 0;
  const receiveNextSlot = (): void => {
    const batch = slotBatch(scenario, server, nextSlot++, batches);
    if (batch !== undefined) batches.push(batch);
  };
  for (;;) {
    while (nextSlot < scenario.slots.length && nextSlot * scenario.slotSeconds <= now) receiveNextSlot();
    while (joinedBatches < batches.length && batches[joinedBatches].endsAt <= now) {
      const { jobs } = batches[joinedBatches++];
      if (jobs[0].preemptions > 0) line.unshift(...jobs);
      else line.push(...jobs);
    }
    if (running.length === 0 && line.length === 0) {
      if (joinedBatches < batches.length) now = batches[joinedBatches].endsAt;
      else if (nextSlot < scenario.slots.length) receiveNextSlot();
      else return rows;
      continue;
    }

    let hasPreempted = false;
    while (nextBytes(running, scenario) > server.kvCapacityBytes) {
      // Those that have finished and are only held, in static batching, cannot be preempted.
      const job = running.filter(({ generated, request }) => generated < request.outputTokens).at(-1);
      if (job === undefined) break;
      running = running.filter((other) => other !== job);
      hasPreempted = true;
      // It alone has outgrown the pool: it is lost.
      if (scenario.kvBytesPerToken * (job.request.inputTokens + job.generated + 1) > server.kvCapacityBytes) {
        done.push({ id: job.request.id, rejected: true });
        continue;
      }
      job.preemptions++;
      job.earlierSeconds = job.decodeSeconds;
      batches.push(recomputation(job, now, batches, server));
    }
    if (!hasPreempted && (deed || running.length === 0)) {
      const fits = deed ? fitsDeed : fitsStatic;
      while (line.length > 0 && fits(running, line[0], scenario, server)) {
        line[0].joinedAt = now;
        running.push(...line.splice(0, 1));
      }
    }

    if (running.some((job) => job.generated < job.request.outputTokens)) {
      const kvBytes = nextBytes(running, scenario);
      const startsAt = now;
      const prefilling = batches.some((batch) => batch.startsAt <= startsAt && startsAt < batch.endsAt);
      const seconds = prefilling
        ? iterationSeconds(server, kvBytes) / (1 - scenario.prefillSlowdown)
        : iterationSeconds(server, kvBytes);
      const slot = slotAt(startsAt, scenario.slotSeconds);
      const k = rows.filter((row) => row[0] === slot).length + 1;
      rows.push([slot, k, startsAt, seconds, kvBytes, running.length]);

      now = startsAt + seconds;
      for (const job of running) {
        if (job.generated < job.request.outputTokens) job.generated++;
        job.decodeSeconds = deed ? job.decodeSeconds + seconds : job.earlierSeconds + now - job.joinedAt;
      }
    }
    const finished = running.filter((job) => job.generated === job.request.outputTokens);
    if (deed) {
      for (const job of finished) done.push(completed(job, now));
      running = running.filter((job) => !finished.includes(job));
    } else if (finished.length === running.length) {
      for (const job of running) done.push(completed(job, now));
      running = [];
    }
  }
}

/** One summary per slot 0..T−1, then one for each later slot in which an iteration starts. */
function summariseSlots(scenario: Scenario, server: ServerSpec, rows: readonly ReplayedIteration[]): ReplayedSlot[] {
  const slots = new Set([...scenario.slots.keys(), ...rows.map((row) => row[0])]);
  return [...slots]
    .sort((a, b) => a - b)
    .map((slot) => {
      const own = rows.filter((row) => row[0] === slot);
      const byteSeconds = own.reduce((sum, [, , , seconds, kvBytes]) => sum + kvBytes * seconds, 0);
      return {
        slot,
        eta: byteSeconds / (server.kvCapacityBytes * scenario.slotSeconds),
        peakKvBytes: own.reduce((peak, row) => Math.max(peak, row[4]), 0),
        iterations: own.length,
      };
    });
}

/**
 * Replays a scenario the slow and obvious way.
 *
 * @throws UserError when a request can never run and `oversized` is not `"reject"`.
 */
export function oracleReplay(scenario: Scenario): ReplayResult {
  const requests: (ReplayedRequest | RejectedRequest)[] = [];
  for (const request of scenario.slots.flatMap((slot) => slot.requests)) {
    if (!isOversized(scenario, request)) continue;
    if (scenario.oversized !== 'reject')
      throw new UserError(`request "${request.id}" can never fit on server "${request.server}"`);
    if (isRefused(scenario, request)) requests.push({ id: request.id, rejected: true });
  }
  const servers = scenario.servers.map((server) => {
    const trajectory = replayServer(scenario, server, requests);
    return { name: server.name, slots: summariseSlots(scenario, server, trajectory), trajectory };
  });
  requests.sort((a, b) => byCodePoints(a.id, b.id));
  return { requests, servers };
}
