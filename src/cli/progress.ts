/** Shows how far a long command is; `done` counts up to the total. */
export interface Progress {
  tick(done: number, note?: string): void;
  /** Takes the bar away, or ends the line. */
  end(): void;
}

const WIDTH = 24;

/**
 * A bar on stderr with rate and time left. On a terminal it stays on one line and goes away at the end; elsewhere, when
 * it is wanted nevertheless, it prints a line every second.
 *
 * @param wanted undefined: only on a terminal.
 * @param unit what is counted, such as "slots".
 */
export function createProgress(total: number, unit: string, wanted: boolean | undefined): Progress {
  const { stderr } = process;
  const isTerminal = stderr.isTTY;
  if (!(wanted ?? isTerminal)) return { tick: () => undefined, end: () => undefined };
  const everyMs = isTerminal ? 100 : 1000;
  const startAt = performance.now();
  let shownAt = startAt;
  return {
    tick(done, note = ''): void {
      const now = performance.now();
      if (now - shownAt < everyMs && done < total) return;
      shownAt = now;
      const line = progressLine(done, total, unit, (now - startAt) / 1000, note);
      stderr.write(isTerminal ? `\r\x1b[2K${line.slice(0, stderr.columns - 1)}` : `${line}\n`);
    },
    end(): void {
      if (isTerminal) stderr.write('\r\x1b[2K');
    },
  };
}

/** `[######..................]  25 %  200/800 slots  30100 slots/s  ETA 0:20`. */
function progressLine(done: number, total: number, unit: string, seconds: number, note = ''): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * WIDTH);
  const bar = '#'.repeat(filled) + '.'.repeat(WIDTH - filled);
  const rate = seconds > 0 ? done / seconds : 0;
  const left = rate > 0 ? clock((total - done) / rate) : '-:--';
  const perSecond = rate >= 100 ? rate.toFixed(0) : rate.toPrecision(3);
  const percent = String(Math.floor(100 * share)).padStart(3);
  return `[${bar}] ${percent} %  ${String(done)}/${String(total)} ${unit}  ${perSecond} ${unit}/s  ETA ${left}${note === '' ? '' : `  ${note}`}`;
}

/** Seconds as m:ss, or h:mm:ss. */
export function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (x: number): string => String(x).padStart(2, '0');
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}
