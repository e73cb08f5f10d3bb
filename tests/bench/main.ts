import { benchEnvironment } from './environment';
import { type BenchFigure, formatFigures } from './figure';
import { benchLearner } from './learner';
import { benchNetworks } from './networks';

const usage = `Usage: npm run bench [-- [learn] [--json] [--quick]]

Without "learn": slots per second of one core of the whole environment step beside a lean loop, at three sizes, with the trace on,
and memory over a long run. With "learn": the parts of a learning update, beside those of the program that LYREO_PEER names, if
any (what it is told and prints: tests/bench/networks.ts).
  --json   one JSON line per figure: bench, value, unit, ratio, ratioTo
  --quick  shorter runs, rougher figures
`;

function main(args: readonly string[]): number {
  const unknown = args.find((arg) => !['learn', 'env', '--json', '--quick', '--help'].includes(arg));
  if (unknown !== undefined || args.includes('--help')) {
    if (unknown !== undefined) process.stderr.write(`argument is "${unknown}"; allowed: learn, --json, --quick\n`);
    (unknown === undefined ? process.stdout : process.stderr).write(usage);
    return unknown === undefined ? 0 : 2;
  }
  const quick = args.includes('--quick');
  const log = (message: string): void => {
    process.stderr.write(`bench: ${message}\n`);
  };
  const figures = args.includes('learn') ? learn(quick, log) : environment(quick, log);
  process.stdout.write(formatFigures(figures, args.includes('--json')));
  return 0;
}

function environment(quick: boolean, log: (message: string) => void): BenchFigure[] {
  return quick
    ? benchEnvironment({ repetitions: 3, slots: 2000, memorySlots: 20_000, log })
    : benchEnvironment({ repetitions: 7, slots: 10_000, memorySlots: 100_000, log });
}

function learn(quick: boolean, log: (message: string) => void): BenchFigure[] {
  return [...benchLearner({ quick, log }), ...benchNetworks({ quick, log })];
}

process.exitCode = main(process.argv.slice(2));
