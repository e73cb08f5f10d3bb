import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import { writeFileAtomic } from '../core/atomic';
import { readTextFile } from '../core/files';
import { parseJson } from '../core/parse';
import { replay } from '../system/replay';
import { parseScenario } from '../system/scenario';

export function replayCommand(program: Command): void {
  program
    .command('replay')
    .description('run a scenario file, in which nothing is random, and print the result as JSON')
    .argument('<scenario.json>', 'the scenario; - reads it from stdin')
    .option('--out <file>', 'write the result to a file instead of stdout; whole or not at all')
    .addHelpText(
      'after',
      `
A scenario fixes servers, requests, assignments and transmission times:
  {"slotSeconds": 1, "kvBytesPerToken": 16000, "prefillSlowdown": 0.3, "batching": "deed", "oversized": "error",
   "servers": [{"name": "a", "kvCapacityBytes": 8e7, "prefillTokensPerSecond": 2500,
                "decodeProfile": [{"kvBytes": 0, "iterationsPerSecond": 80}]}],
   "slots": [{"requests": [{"id": "r1", "inputTokens": 70, "outputTokens": 215, "server": "a", "transmissionSeconds": 0.01}]}]}
The result has, in seconds and bytes:
  requests  completedAt, transmission, prefill, decode, waiting, total; sorted by id; {id, rejected: true} when refused
  servers   slots: slot, eta, peakKvBytes, iterations; trajectory: [slot, k, startsAt, seconds, kvBytes, activeRequests]

Examples:
  $ lyreo replay scenario.json --out result.json
  $ generate | lyreo replay - | jq '.requests[0]'`,
    )
    .action(async (path: string, { out }: { out?: string }) => {
      const [text, name] = path === '-' ? [await textOf(process.stdin), 'stdin'] : [readTextFile(path), path];
      const json = `${JSON.stringify(replay(parseScenario(parseJson(text, name), name)))}\n`;
      if (out === undefined) process.stdout.write(json);
      else writeFileAtomic(out, json);
    });
}
