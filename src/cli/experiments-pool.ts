import { type ChildProcess, fork } from 'node:child_process';
import { UserError } from '../core/errors';
import { ENVIRONMENT } from '../nn/backend';
import { executeRun } from '../paper/run';
import type { RunSpec } from '../paper/run-spec';
import { RunStore, runsFolder } from '../paper/run-store';

/** A message of a worker: an update is done, or the run is, well or with a fault. */
type News = { readonly update: number } | { readonly fault: string | undefined };

/** Receives the updates that a run has made; undefined: it has ended. */
type OnChange = (spec: RunSpec, update?: number) => void;

/** Keeps `jobs` workers busy until every missing run is made or has failed; returns the keys of the failed. */
export async function makeAll(
  missing: readonly RunSpec[],
  jobs: number,
  signal: AbortSignal,
  say: (line: string) => void,
  onChange: OnChange,
): Promise<string[]> {
  const failed: string[] = [];
  const queue = [...missing];
  const lane = async (): Promise<void> => {
    let child: ChildProcess | undefined;
    for (let spec = queue.shift(); spec !== undefined; spec = queue.shift()) {
      if (child?.connected !== true) child = startWorker(signal);
      const fault = await order(child, spec, onChange);
      signal.throwIfAborted();
      onChange(spec);
      if (fault === undefined) continue;
      failed.push(spec.key);
      say(`${spec.key} failed: ${fault}`);
    }
    if (child?.connected === true) child.disconnect();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, queue.length) }, lane));
  return failed;
}

/** A process of its own that makes one run after the other, with one thread under any settings of the caller. */
function startWorker(signal: AbortSignal): ChildProcess {
  const child = fork(process.argv[1], ['experiments', '--worker'], {
    env: { ...process.env, ...ENVIRONMENT, OMP_NUM_THREADS: '1' },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // JSON knows no infinity.
    serialization: 'advanced',
  });
  const stop = (): void => {
    child.kill();
    setTimeout(() => child.kill('SIGKILL'), 5000).unref();
  };
  signal.addEventListener('abort', stop);
  child.once('exit', () => {
    signal.removeEventListener('abort', stop);
  });
  return child;
}

/** Has a worker make a run; resolves with the fault, if it fails or the worker dies. */
function order(child: ChildProcess, spec: RunSpec, onChange: OnChange): Promise<string | undefined> {
  return new Promise((resolve) => {
    const finish = (fault: string | undefined): void => {
      child.off('message', listen).off('exit', died);
      resolve(fault);
    };
    const listen = (news: News): void => {
      if ('update' in news) onChange(spec, news.update);
      else finish(news.fault);
    };
    const died = (code: number | null, how: NodeJS.Signals | null): void => {
      finish(`its process ended with ${how ?? `exit code ${code ?? '?'}`}`);
    };
    child.on('message', listen).on('exit', died);
    onChange(spec, 0);
    child.send(spec, (error) => {
      if (error !== null) finish(`its process cannot be reached: ${error.message}`);
    });
  });
}

/** The other end: makes and stores the runs it is sent, until the parent hangs up. */
export function worker(): void {
  const tell = (news: News): void => {
    if (process.connected) process.send?.(news);
  };
  // Ctrl-C reaches the whole group; the parent decides.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => process.exit(143));
  process.on('disconnect', () => process.exit());
  process.on('message', (spec: RunSpec) => {
    const store = new RunStore(runsFolder(spec.profile));
    const make = async (): Promise<void> => {
      const onUpdate = (update: number): void => {
        tell({ update });
      };
      // Another process may have stored it meanwhile.
      if (!store.has(spec.key)) store.save(await executeRun(spec, { store, onUpdate }));
    };
    make().then(
      () => {
        tell({ fault: undefined });
      },
      (error: unknown) => {
        // A process that makes the same run stores it and then takes the shared checkpoints away: they are not needed.
        const isStored = store.has(spec.key);
        if (!isStored) store.discardPartial(spec.key);
        tell({ fault: isStored ? undefined : error instanceof UserError ? error.message : String(error) });
      },
    );
  });
}
