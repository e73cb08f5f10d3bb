import { interruptible } from './interrupt';

/** The progress of a long command on stderr: a bar with rate and remaining time. */
export interface Progress {
  /** Shows that `done` of the total is done; not more often than a reader can follow. */
  readonly tick: (done: number, note?: string) => void;
  /** Rate and remaining time: `30100 slots/s  ETA 0:20`. */
  readonly pace: (done: number) => string;
  readonly say: (line: string) => void;
  readonly end: () => void;
}

const WIDTH = 24;

/**
 * Begins a display. On a terminal it stays on one line and is removed at the end; elsewhere it prints a line every five
 * seconds and a last one.
 *
 * @param unit the noun that is counted, such as "slots".
 * @param wanted undefined: only on a terminal.
 * @param before the part that was done earlier; it does not count in the rate.
 */
export function createProgress(total: number, unit: string, wanted: boolean | undefined, before = 0): Progress {
  const { stderr } = process;
  const isTerminal = stderr.isTTY;
  const isShown = wanted ?? isTerminal;
  const startAt = performance.now();
  let shownAt = -Infinity;
  const clear = (): void => {
    if (isShown && isTerminal) stderr.write('\r\x1b[2K');
  };
  const pace = (done: number): string => {
    const rate = (done - before) / Math.max(1e-9, (performance.now() - startAt) / 1000);
    const left = rate > 0 ? clock((total - done) / rate) : '-:--';
    return `${rate >= 100 ? rate.toFixed(0) : rate.toPrecision(3)} ${unit}/s  ETA ${left}`;
  };
  return {
    pace,
    tick: (done, note = '') => {
      const now = performance.now();
      if (!isShown || (now - shownAt < (isTerminal ? 100 : 5000) && done < total)) return;
      shownAt = now;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.');
      const percent = String(Math.floor(100 * share)).padStart(3);
      const count = `${String(Math.floor(done))}/${String(Math.ceil(total))} ${unit}`;
      const line = `[${bar}] ${percent} %  ${count}  ${pace(done)}  ${note}`.trimEnd();
      stderr.write(isTerminal ? `\r\x1b[2K${line.slice(0, stderr.columns - 1)}` : `${line}\n`);
    },
    say: (line) => {
      clear();
      stderr.write(`${line}\n`);
    },
    end: clear,
  };
}

/** Runs work that can be stopped by Ctrl-C or SIGTERM, and shows its progress; see `createProgress`. */
export async function withProgress<T>(
  total: number,
  unit: string,
  wanted: boolean | undefined,
  work: (progress: Progress, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const progress = createProgress(total, unit, wanted);
  try {
    return await interruptible((signal) => work(progress, signal));
  } finally {
    progress.end();
  }
}

/** Seconds as m:ss, or h:mm:ss. */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (x: number): string => String(x).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}
