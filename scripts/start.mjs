/** npm start [-- --no-browser --port N]: set-up, then JupyterLab on notebooks/. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SetupError, inRoot, jupyterEnv, main, run, venvPython } from './common.mjs';
import { setup } from './setup.mjs';

const HELP = `npm start [-- --no-browser] [--port N]

  --no-browser  only print the address
  --port N      listen on port N of 127.0.0.1 (default: the first free one from 8888)
`;

/** The notebook that is open at first. */
const START_PAGE = '/lab/tree/index.ipynb';

main(async () => {
  const options = readOptions();
  if (options.help) return void console.log(HELP);
  await setup();
  const port = options.port ?? (await firstFreePort(8888));
  const token = randomBytes(24).toString('hex');
  const url = `http://127.0.0.1:${port}${START_PAGE}?token=${token}`;
  mkdirSync(inRoot('notebooks'), { recursive: true });
  // Ctrl-C reaches the server through the terminal; a signal sent to this process is passed on.
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
  // JupyterLab would ask whether it is meant; and a supervisor signals this process alone.
  process.on('SIGINT', () => setTimeout(() => stop.abort(), 1000));
  const server = run(venvPython, labArguments(port, options['no-browser']), {
    env: { ...jupyterEnv(), JUPYTER_TOKEN: token },
    signal: stop.signal,
  });
  if (await answers(url, server)) console.log(`\nJupyterLab: ${url}\nCtrl-C ends it.\n`);
  return server;
});

/** Waits until the server answers; false when it has ended before. */
async function answers(url, server) {
  let ended = false;
  const end = () => (ended = true);
  server.then(end, end);
  while (!ended) {
    const response = await fetch(url.replace(START_PAGE, '/api/status')).catch(() => undefined);
    if (response?.ok) return true;
    await sleep(100);
  }
  return false;
}

const labArguments = (port, noBrowser) => [
  ...['-m', 'jupyterlab', '--ServerApp.ip=127.0.0.1', `--ServerApp.port=${port}`],
  ...['--ServerApp.port_retries=0', `--ServerApp.root_dir=${inRoot('notebooks')}`],
  // Only the project's own kernel, none of the machine's.
  ...['--KernelSpecManager.allowed_kernelspecs=tslab', '--KernelSpecManager.ensure_native_kernel=False'],
  '--MappingKernelManager.default_kernel_name=tslab',
  // Ctrl-C ends it at once, without a question; CI runs as root.
  ...['--ServerApp.answer_yes=True', '--ServerApp.allow_root=True', '--log-level=ERROR'],
  ...['--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate', '--LabApp.custom_css=True'],
  `--LabApp.default_url=${START_PAGE}`,
  ...(noBrowser ? ['--no-browser'] : []),
];

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        'no-browser': { type: 'boolean' },
        port: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.port === undefined) return values;
    const port = Number(values.port);
    if (Number.isInteger(port) && port >= 1 && port <= 65535) return { ...values, port };
    throw new Error(`--port is ${values.port}; allowed are whole numbers from 1 to 65535`);
  } catch (error) {
    throw new SetupError(`${error.message}\n\n${HELP}`);
  }
}

function firstFreePort(from) {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      if (error.code !== 'EADDRINUSE' || from > 9000) reject(error);
      else resolve(firstFreePort(from + 1));
    });
    probe.listen(from, '127.0.0.1', () => probe.close(() => resolve(from)));
  });
}
