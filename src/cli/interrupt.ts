/** Thrown when the user stops a command; the exit code is 128 + the signal's number, as shells have it. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted';

  constructor(readonly exitCode: number) {
    super('interrupted');
  }
}

const SIGNALS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 2],
  ['SIGTERM', 15],
];

/**
 * Runs work that can be stopped by Ctrl-C or SIGTERM: its signal aborts, with an {@link Interrupted} as the reason, and
 * the work ends in order. A second Ctrl-C ends the process at once. Only for work that pauses for other events.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const handlers = SIGNALS.map(([name, number]) => {
    const handler = (): void => {
      if (controller.signal.aborted) process.exit(128 + number);
      controller.abort(new Interrupted(128 + number));
    };
    process.on(name, handler);
    return [name, handler] as const;
  });
  try {
    return await work(controller.signal);
  } finally {
    for (const [name, handler] of handlers) process.off(name, handler);
  }
}
