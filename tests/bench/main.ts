import { benchEnvironment } from './environment';
import { formatFigures } from './figure';
import { benchLearner } from './learner';
import { benchNetworks } from './networks';

const usage = `Usage: npm run bench [-- [learn] [--json] [--quick]]

Without "learn": slots per second of one core of the whole environment step beside a lean loop, at three sizes, with the trace on,
and memory over a long run. With "learn": the parts of a learning update, beside those of the program that LYREO_PEER names, if
any (what it is told and prints: tests/bench/networks.ts).
  --json   one JSON line per figure: bench, value, unit, ratio, ratioTo
  --quick  shorter runs, rougher figures
`;

const args = process.argv.slice(2);
const unknown = args.find((arg) => !['learn', 'env', '--json', '--quick', '--help'].includes(arg));
if (unknown !== undefined) {
  process.stderr.write(`argument is "${unknown}"; allowed: learn, --json, --quick\n${usage}`);
  process.exitCode = 2;
} else if (args.includes('--help')) process.stdout.write(usage);
else {
  const log = (message: string): void => void process.stderr.write(`bench: ${message}\n`);
  const options = { quick: args.includes('--quick'), log };
  const figures = args.includes('learn')
    ? [...benchLearner(options), ...benchNetworks(options)]
    : benchEnvironment(options);
  process.stdout.write(formatFigures(figures, args.includes('--json')));
}
