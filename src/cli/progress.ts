export interface Progress {
  /** The part that was done earlier; it does not count in the rate. */
  readonly startAt: (done: number) => void;
  /** Shows a bar, not more often than a reader can follow. */
  readonly tick: (done: number, note?: string) => void;
  /** Rate and remaining time: `30100 slots/s  ETA 0:20`. */
  readonly pace: (done: number) => string;
  readonly say: (line: string) => void;
}

/** The error of a command that the user stopped; the exit code is 128 + the signal's number, as shells have it. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted';

  constructor(readonly exitCode: number) {
    super('interrupted');
  }
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;
const WIDTH = 24;

/**
 * Runs work and shows its progress: on a terminal in one line, which is removed at the end; elsewhere in a line every
 * five seconds and a last one. On Ctrl-C or SIGTERM the work's signal aborts, with {@link Interrupted} as the reason, and
 * the work ends in order; a second one ends the process at once. Only for work that pauses for other events.
 *
 * @param unit the noun that is counted, such as "slots".
 * @param wanted undefined: only on a terminal.
 */
export async function withProgress<T>(
  total: number,
  unit: string,
  wanted: boolean | undefined,
  work: (progress: Progress, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { stderr } = process;
  const isTerminal = stderr.isTTY;
  const isShown = wanted ?? isTerminal;
  let [before, startedAt, shownAt] = [0, performance.now(), -Infinity];
  const clear = (): void => {
    if (isShown && isTerminal) stderr.write('\r\x1b[2K');
  };
  const pace = (done: number): string => {
    const rate = (done - before) / Math.max(1e-9, (performance.now() - startedAt) / 1000);
    const left = rate > 0 ? clock((total - done) / rate) : '-:--';
    return `${rate >= 100 ? rate.toFixed(0) : rate.toPrecision(3)} ${unit}/s  ETA ${left}`;
  };
  const progress: Progress = {
    startAt: (done) => {
      [before, startedAt] = [done, performance.now()];
    },
    tick: (done, note = '') => {
      const now = performance.now();
      if (!isShown || (now - shownAt < (isTerminal ? 100 : 5000) && done < total)) return;
      shownAt = now;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.');
      const percent = String(Math.floor(100 * share)).padStart(3);
      const count = `${Math.floor(done)}/${Math.ceil(total)} ${unit}`;
      const line = `[${bar}] ${percent} %  ${count}  ${pace(done)}  ${note}`.trimEnd();
      stderr.write(isTerminal ? `\r\x1b[2K${line.slice(0, stderr.columns - 1)}` : `${line}\n`);
    },
    pace,
    say: (line) => {
      clear();
      stderr.write(`${line}\n`);
    },
  };
  const controller = new AbortController();
  const stop = (name: keyof typeof EXIT_CODES): void => {
    if (controller.signal.aborted) process.exit(EXIT_CODES[name]);
    controller.abort(new Interrupted(EXIT_CODES[name]));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await work(progress, controller.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    clear();
  }
}

function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (x: number): string => String(x).padStart(2, '0');
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}
