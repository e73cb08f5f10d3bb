import { packageVersion } from '../core/files';
import type { RunMetrics } from '../env/metrics';

/** A remark on stderr that does not end the command. */
export function warn(message: string): void {
  process.stderr.write(`warning: ${message}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The fields of a JSON result that tell its origin. */
export function origin(): { readonly version: string; readonly command: string } {
  return { version: packageVersion(), command: ['lyreo', ...process.argv.slice(2)].join(' ') };
}

/** Warns of facts that limit the figures; of several contenders each has its name. */
export function warnAboutRuns(runs: readonly RunMetrics[], name?: string): void {
  const say = (message: string): void => {
    warn(name === undefined ? message : `${name}: ${message}`);
  };
  const inRuns = (count: number): string => (name === undefined ? '' : ` in ${count} of ${runs.length} runs`);
  const sum = (of: (run: RunMetrics) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const arrived = sum((run) => run.arrived);
  const causes: readonly (readonly [(run: RunMetrics) => number, string])[] = [
    [(run) => run.rejected - run.lostToPrediction - run.misassigned, 'are larger than the KV pools and were rejected'],
    [(run) => run.lostToPrediction, 'were lost to a wrong prediction: the KV pool of their server could not hold them'],
    [(run) => run.misassigned, 'were sent by the scheduler to a server that could not hold them, though another could'],
  ];
  for (const [of, cause] of causes) {
    const count = sum(of);
    const percent = Number(((100 * count) / arrived).toPrecision(2));
    if (count > 0) say(`${count} of ${arrived} requests (${percent} %) ${cause}; no latency counts them`);
  }
  const idle = runs.filter(({ completed }) => completed === 0).length;
  if (arrived === 0) say('no request arrived; this is allowed, but there is nothing to report');
  else if (idle > 0) say(`no request was completed${inRuns(idle)}; there is no mean latency`);
  const overloaded = runs.filter(({ stability }) => stability.verdict === 'OVERLOADED');
  if (overloaded.length > 0)
    say(
      `OVERLOADED${inRuns(overloaded.length)}: ${overloaded[0].stability.reason}; latencies grow with the number of slots and describe no steady state`,
    );
}
