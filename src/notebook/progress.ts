import { breathe, displaySlot, escapeHtml, inKernel, isStatic } from './kernel';

/** Reports that `done` of the total are done; await it in the loop. */
export type ProgressTick = (done: number, note?: string) => Promise<void>;

/**
 * A progress bar for a long cell, with rate and time left.
 *
 * Awaiting each tick also lets the kernel send its output and take an interrupt:
 * ```ts
 * const tick = progress(slots, 'simulating');
 * for (let t = 1; t <= slots; t++) { …; await tick(t); }
 * ```
 */
export function progress(total: number, label = ''): ProgressTick {
  const show = displaySlot();
  const start = performance.now();
  let shownAt = -Infinity;
  return async (done: number, note = ''): Promise<void> => {
    const now = performance.now();
    if (now - shownAt < 150 && done < total) return;
    shownAt = now;
    const count = `${label} ${done}/${total} ${note}`.trim().replace(/ +/g, ' ');
    if (isStatic() || !inKernel()) {
      // A written notebook holds no durations; a log holds no intermediate states.
      if (done >= total) show({ 'text/plain': count });
    } else {
      const perSecond = (1000 * done) / (now - start);
      const left = Math.max(0, (total - done) / perSecond);
      const rate = perSecond > 0 ? ` · ${perSecond.toPrecision(3)}/s · ${left.toFixed(0)} s left` : '';
      const bar = `<progress value="${done}" max="${total}"></progress>`;
      show({ 'text/html': `${bar} ${escapeHtml(count)}${rate}`, 'text/plain': `${count}${rate}` });
    }
    await breathe();
  };
}

/** A function of the kernel preload (scripts/kernel-preload.cjs) that the library uses. */
interface KernelHook {
  readonly stopRequests: { add(request: () => void): void };
  /** A new object for every cell that runs. */
  readonly cell: object;
}

/** The running cell's signal: asking again, as in a loop's condition, gives the same one. */
let asked: { readonly cell: object | undefined; readonly signal: AbortSignal } | undefined;

/**
 * A signal that aborts when the user interrupts the cell (or presses Ctrl-C in a program). The
 * first interrupt only aborts the signal, so the cell can end in order and keep its results; the
 * second ends it hard. Check it after each awaited {@link progress} tick or {@link breathe}:
 * ```ts
 * const signal = interruptSignal();
 * while (!signal.aborted && episode < episodes) { …; await tick(++episode); }
 * ```
 */
export function interruptSignal(): AbortSignal {
  const hook = (globalThis as { [key: symbol]: KernelHook | undefined })[Symbol.for('lyreo.kernel')];
  if (hook && hook.cell === asked?.cell) return asked.signal;
  const controller = new AbortController();
  asked = { cell: hook?.cell, signal: controller.signal };
  const abort = (): void => {
    controller.abort();
  };
  if (hook) hook.stopRequests.add(abort);
  // In a kernel without the project's preload a listener added during a cell's first part makes the
  // next interrupt kill the kernel; one turn later it is harmless.
  else setImmediate(() => process.prependOnceListener('SIGINT', abort));
  return controller.signal;
}
