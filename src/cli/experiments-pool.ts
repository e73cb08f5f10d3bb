import { type ChildProcess, fork } from 'node:child_process';
import { UserError } from '../core/errors';
import { matrix } from '../paper/matrix';
import { type ProfileName, profiles } from '../paper/profiles';
import type { RunSpec } from '../paper/run-spec';
import { ENVIRONMENT } from '../nn/backend';
import { executeRun } from '../paper/run';
import { RunStore, runsFolder } from '../paper/run-store';

/** A display of the runs' state. */
export interface Status {
  /** A run has made so many updates. */
  readonly update: (spec: RunSpec, update: number) => void;
  readonly finish: (spec: RunSpec) => void;
  readonly say: (line: string) => void;
}

export interface PoolOptions {
  readonly profile: ProfileName;
  readonly jobs: number;
  readonly signal: AbortSignal;
}

interface Order {
  readonly spec: RunSpec;
}

/** A message of a worker: an update is done, or the run is, well or with a fault. */
type News = { readonly update: number } | { readonly fault?: string };

/** Keeps `jobs` workers busy until every missing run is made or has failed; returns the keys of the failed. */
export async function makeAll(
  missing: readonly RunSpec[],
  { jobs, profile, signal }: PoolOptions,
  status: Status,
): Promise<string[]> {
  const failed: string[] = [];
  const queue = [...missing];
  const children = new Set<ChildProcess>();
  const isStopped = (): boolean => signal.aborted;
  const lane = async (): Promise<void> => {
    let child: ChildProcess | undefined;
    for (let spec = queue.shift(); spec !== undefined && !isStopped(); spec = queue.shift()) {
      child ??= startWorker(profile, children);
      const fault = await order(child, spec, status);
      if (fault !== undefined && isStopped()) break;
      status.finish(spec);
      if (fault !== undefined) {
        failed.push(spec.key);
        status.say(`${spec.key} failed: ${fault}`);
      }
      if (child.exitCode !== null || child.signalCode !== null || !child.connected) child = undefined;
    }
    if (child?.connected === true) child.disconnect();
  };
  const stop = (): void => {
    for (const child of children) {
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), 5000).unref();
    }
  };
  signal.addEventListener('abort', stop);
  try {
    await Promise.all(Array.from({ length: Math.min(jobs, queue.length) }, lane));
    signal.throwIfAborted();
    return failed;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A process of its own that makes one run after the other, with one thread whatever the caller's settings are. */
function startWorker(profile: ProfileName, children: Set<ChildProcess>): ChildProcess {
  const child = fork(process.argv[1], ['experiments', '--worker', '--profile', profile], {
    env: { ...process.env, ...ENVIRONMENT, OMP_NUM_THREADS: '1' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Has a worker make a run; resolves with the fault, if it fails or the worker dies. */
function order(child: ChildProcess, spec: RunSpec, status: Status): Promise<string | undefined> {
  return new Promise((resolve) => {
    let complaint = '';
    const hear = (data: Buffer): void => {
      complaint = (complaint + data.toString()).slice(-4000);
      // A notice of the library, as that the native addon is missing.
      if (data.toString().startsWith('lyreo: ')) status.say(data.toString().trimEnd());
    };
    const finish = (fault: string | undefined): void => {
      child.off('message', listen);
      child.off('exit', died);
      child.stderr?.off('data', hear);
      resolve(fault);
    };
    const listen = (news: News): void => {
      if ('update' in news) status.update(spec, news.update);
      else finish(news.fault);
    };
    const died = (code: number | null, how: NodeJS.Signals | null): void => {
      const last = complaint.trim().split('\n').slice(-3).join(' | ');
      finish(`its process ended with ${how ?? `exit code ${code ?? '?'}`} ${last}`);
    };
    child.on('message', listen);
    child.on('exit', died);
    child.stderr?.on('data', hear);
    status.update(spec, 0);
    child.send({ spec } satisfies Order, (error) => {
      if (error !== null) finish(`its process cannot be reached: ${error.message}`);
    });
  });
}

/** The other end: makes the runs it is sent, until the parent hangs up. */
export async function worker(profile: ProfileName): Promise<void> {
  const store = new RunStore(runsFolder(profile));
  const tell = (news: News): void => {
    if (process.connected) process.send?.(news);
  };
  // Ctrl-C reaches the whole group; the parent decides.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => process.exit(143));
  await new Promise<void>((resolve) => {
    process.on('disconnect', () => {
      process.exit();
    });
    process.on('message', ({ spec }: Order) => {
      void make(revived(spec, profile), store, tell);
    });
    if (!process.connected) resolve();
  });
}

/** The run as this process knows it: what travels between processes is JSON, which knows no infinity. */
function revived({ key, seed }: RunSpec, profile: ProfileName): RunSpec {
  const found = matrix(profiles[profile], undefined, [seed]).find((spec) => spec.key === key);
  if (found === undefined) throw new Error(`${key} is no run of ${profile}`);
  return found;
}

async function make(spec: RunSpec, store: RunStore, tell: (news: News) => void): Promise<void> {
  const onUpdate = (update: number): void => {
    tell({ update });
  };
  try {
    // Another process may have stored it meanwhile.
    if (!store.has(spec.key)) store.save(await executeRun(spec, { store, onUpdate }));
    tell({});
  } catch (error) {
    // A process that makes the same run stores it and then takes the shared checkpoints away: they are not needed.
    if (store.has(spec.key)) {
      tell({});
      return;
    }
    store.discardPartial(spec.key);
    tell({ fault: error instanceof UserError ? error.message : String(error) });
  }
}
