import { type ChildProcess, fork } from 'node:child_process';
import { UserError } from '../core/errors';
import { makeFolder } from '../core/folder';
import { type Cell, type ProfileName, matrix, profiles, readArtefacts, shardOf } from '../paper/matrix';
import { RunStore, runsFolder } from '../paper/run-store';
import { executeCell } from '../paper/run';
import { clock } from './progress';
import { alignColumns } from './report';

/** What `lyreo experiments` was asked for. */
export interface ExperimentsOptions {
  readonly names: readonly string[];
  readonly profile: ProfileName;
  readonly jobs: number;
  readonly shard?: { readonly index: number; readonly count: number };
  readonly seeds?: readonly number[];
  readonly only?: string;
  readonly list?: boolean;
  readonly progress?: boolean;
  readonly signal: AbortSignal;
}

/** What the parent sends to a worker, and what it hears. */
type Order = { readonly cell: Cell };
type News =
  | { readonly kind: 'update'; readonly update: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string };

/** One thread per process, so that as many processes as cores do not stand in each other's way. */
const singleThread: Readonly<Record<string, string>> = {
  TF_CPP_MIN_LOG_LEVEL: '2',
  TF_ENABLE_ONEDNN_OPTS: '0',
  TF_NUM_INTRAOP_THREADS: '1',
  TF_NUM_INTEROP_THREADS: '1',
  OMP_NUM_THREADS: '1',
};

/** Makes the missing runs; returns the exit code. */
export async function experiments(options: ExperimentsOptions): Promise<number> {
  const { shard, only, signal } = options;
  const profile = profiles[options.profile];
  const store = new RunStore(runsFolder(profile.name));
  let cells = matrix(profile, readArtefacts(options.names), options.seeds);
  if (only !== undefined) {
    cells = cells.filter(({ key }) => key.startsWith(only));
    if (cells.length === 0)
      throw new UserError(`--only is ${JSON.stringify(only)}; allowed: the beginning of a run's name, see --list`);
  }
  if (shard !== undefined) cells = shardOf(cells, shard.index, shard.count);
  const { done, missing } = store.sort(cells);
  if (options.list === true) {
    process.stdout.write(listText(cells, new Set(done.map(({ key }) => key))));
    return 0;
  }
  if (missing.length > 0) makeFolder(store.folder);
  const status = new Status(cells, done, options.jobs, options.progress);
  const failed: string[] = [];
  try {
    if (missing.length > 0) await makeAll(missing, options, status, failed, signal);
  } finally {
    status.end();
  }
  const made = store.sort(cells).done.length;
  const note = failed.length > 0 ? `; ${failed.length} failed` : '';
  process.stdout.write(`${profile.name}: ${made} of ${cells.length} runs stored in ${store.folder}${note}\n`);
  return failed.length > 0 ? 1 : 0;
}

/** Keeps `jobs` workers busy until nothing is left. */
async function makeAll(
  missing: readonly Cell[],
  { jobs, profile }: ExperimentsOptions,
  status: Status,
  failed: string[],
  signal: AbortSignal,
): Promise<void> {
  const queue = [...missing];
  const children = new Set<ChildProcess>();
  const fail = (cell: Cell, reason: string): void => {
    failed.push(cell.key);
    status.say(`${cell.key} failed: ${reason}`);
    status.finish(cell);
  };
  const isStopped = (): boolean => signal.aborted;
  const lane = async (): Promise<void> => {
    let child: ChildProcess | undefined;
    for (let cell = queue.shift(); cell !== undefined && !isStopped(); cell = queue.shift()) {
      child ??= startWorker(profile, children);
      const news = await order(child, cell, status);
      if (news.kind === 'failed') {
        if (!isStopped()) fail(cell, news.reason);
      } else status.finish(cell);
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
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A process of its own, with one thread, that makes one run after the other. */
function startWorker(profile: ProfileName, children: Set<ChildProcess>): ChildProcess {
  const child = fork(process.argv[1], ['experiments', '--worker', '--profile', profile], {
    env: { ...process.env, ...singleThread },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Has a worker make a run; resolves when it is done, or the worker has died. */
function order(child: ChildProcess, cell: Cell, status: Status): Promise<Exclude<News, { kind: 'update' }>> {
  return new Promise((resolve) => {
    let complaint = '';
    const hear = (data: Buffer): void => {
      complaint = (complaint + data.toString()).slice(-4000);
    };
    const finish = (news: Exclude<News, { kind: 'update' }>): void => {
      child.off('message', listen);
      child.off('exit', died);
      child.stderr?.off('data', hear);
      resolve(news);
    };
    const listen = (news: News): void => {
      if (news.kind === 'update') status.update(cell, news.update);
      else finish(news);
    };
    const died = (code: number | null, how: NodeJS.Signals | null): void => {
      const last = complaint.trim().split('\n').slice(-3).join(' | ');
      finish({ kind: 'failed', reason: `its process ended with ${how ?? `exit code ${code ?? '?'}`} ${last}` });
    };
    child.on('message', listen);
    child.on('exit', died);
    child.stderr?.on('data', hear);
    status.begin(cell);
    child.send({ cell } satisfies Order, (error) => {
      if (error !== null) finish({ kind: 'failed', reason: `its process cannot be reached: ${error.message}` });
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
    process.on('message', ({ cell }: Order) => {
      void make(revived(cell, profile), store, tell);
    });
    if (!process.connected) resolve();
  });
}

/** The cell as this process knows it: what travels between processes is JSON, which knows no infinity. */
function revived({ key, seed }: Cell, profile: ProfileName): Cell {
  const found = matrix(profiles[profile], undefined, [seed]).find((cell) => cell.key === key);
  if (found === undefined) throw new Error(`${key} is no run of ${profile}`);
  return found;
}

async function make(cell: Cell, store: RunStore, tell: (news: News) => void): Promise<void> {
  const onUpdate = (update: number): void => {
    tell({ kind: 'update', update });
  };
  try {
    // Another process may have stored it meanwhile.
    if (!store.has(cell.key)) store.save(await executeCell(cell, { store, onUpdate }));
    tell({ kind: 'done' });
  } catch (error) {
    store.discardPartial(cell.key);
    const reason = error instanceof UserError ? error.message : String(error);
    tell({ kind: 'failed', reason });
  }
}

/** Every run with its state, by artefact the numbers of both. */
function listText(cells: readonly Cell[], done: ReadonlySet<string>): string {
  const rows = cells.map((cell) => [cell.key, done.has(cell.key) ? 'done' : 'missing', cell.artefacts.join(' ')]);
  const missing = cells.filter(({ key }) => !done.has(key));
  const minutes = Math.ceil(missing.reduce((sum, { cost }) => sum + cost, 0) / 60);
  const left = missing.length === 0 ? '' : `; the others take roughly ${minutes} minutes of one core`;
  return `${alignColumns([['run', 'state', 'shown by'], ...rows])}\n${cells.length - missing.length} of ${cells.length} runs are done${left}\n`;
}

/** How far the matrix is: a line on stderr, by share of the work and not by count. */
class Status {
  private readonly total: number;
  private readonly before: number;
  private done: number;
  private count: number;
  private readonly running: Map<string, { readonly cell: Cell; update: number }> = new Map();
  private readonly startAt: number = performance.now();
  private shownAt = -Infinity;
  private readonly isShown: boolean;
  private readonly timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly cells: readonly Cell[],
    done: readonly Cell[],
    private readonly jobs: number,
    wanted: boolean | undefined,
  ) {
    const work = (list: readonly Cell[]): number => list.reduce((sum, { cost }) => sum + cost, 0);
    this.total = work(cells);
    this.before = work(done);
    this.done = this.before;
    this.count = done.length;
    this.isShown = wanted ?? process.stderr.isTTY;
    if (!this.isShown) return;
    this.timer = setInterval(() => {
      this.show();
    }, 1000);
    this.timer.unref();
  }

  begin(cell: Cell): void {
    this.running.set(cell.key, { cell, update: 0 });
    this.show();
  }

  update(cell: Cell, update: number): void {
    const entry = this.running.get(cell.key);
    if (entry !== undefined) entry.update = update;
    this.show();
  }

  finish(cell: Cell): void {
    this.running.delete(cell.key);
    this.done += cell.cost;
    this.count++;
    this.show();
  }

  /** A remark that stays. */
  say(text: string): void {
    this.clear();
    process.stderr.write(`${text}\n`);
  }

  end(): void {
    clearInterval(this.timer);
    this.clear();
  }

  private show(): void {
    const now = performance.now();
    if (!this.isShown || now - this.shownAt < (process.stderr.isTTY ? 200 : 5000)) return;
    this.shownAt = now;
    let done = this.done;
    for (const { cell, update } of this.running.values())
      done += (cell.cost * update) / (profiles[cell.profile].updates + 1);
    const seconds = (now - this.startAt) / 1000;
    const rate = (done - this.before) / seconds;
    // Short of a measurement, the costs are taken for seconds.
    const left = clock((this.total - done) / (done - this.before > 0.01 * this.total ? rate : this.jobs));
    const names = [...this.running.values()].map(
      ({ cell, update }) => `${cell.name}-s${cell.seed}${update > 0 ? `:${update}` : ''}`,
    );
    const percent = this.total === 0 ? 100 : Math.floor((100 * done) / this.total);
    const line = `${percent} %  ${this.count}/${this.cells.length} runs  ${clock(seconds)} passed  ETA ${left}  ${names.join(' ')}`;
    const { isTTY, columns } = process.stderr;
    process.stderr.write(isTTY ? `\r\x1b[2K${line.slice(0, columns - 1)}` : `${line}\n`);
  }

  private clear(): void {
    if (this.isShown && process.stderr.isTTY) process.stderr.write('\r\x1b[2K');
  }
}
