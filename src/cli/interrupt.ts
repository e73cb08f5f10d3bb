/** The error of a command that the user stopped; the exit code is 128 + the signal's number, as shells have it. */
export class Interrupted extends Error {
  override readonly name: string = 'Interrupted';

  constructor(readonly exitCode: number) {
    super('interrupted');
  }
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs work that can be stopped by Ctrl-C or SIGTERM: its signal aborts, with an {@link Interrupted} as the reason, and
 * the work ends in order. A second Ctrl-C ends the process at once. Only for work that pauses for other events.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (name: keyof typeof EXIT_CODES): void => {
    if (controller.signal.aborted) process.exit(EXIT_CODES[name]);
    controller.abort(new Interrupted(EXIT_CODES[name]));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
