/**
 * npm start [-- ARGUMENTS]: set-up, then JupyterLab on notebooks/. The arguments are JupyterLab's own, as --no-browser and
 * --port N; it prints its address.
 */
import { inRoot, jupyterEnv, main, run, venvPython } from './common.mjs';
import { setup } from './setup.mjs';

main(async () => {
  await setup();
  // Ctrl-C reaches the server through the terminal; a signal sent to this process is passed on.
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
  // JupyterLab would ask whether it is meant; and a supervisor signals this process alone.
  process.on('SIGINT', () => setTimeout(() => stop.abort(), 1000));
  return run(venvPython, [...lab, ...process.argv.slice(2)], { env: jupyterEnv(), signal: stop.signal });
});

const lab = [
  ...['-m', 'jupyterlab', '--ServerApp.ip=127.0.0.1', `--ServerApp.root_dir=${inRoot('notebooks')}`],
  // Only the project's own kernel, none of the machine's.
  ...['--KernelSpecManager.allowed_kernelspecs=tslab', '--KernelSpecManager.ensure_native_kernel=False'],
  '--MappingKernelManager.default_kernel_name=tslab',
  // Ctrl-C ends it at once, without a question; CI runs as root.
  ...['--ServerApp.answer_yes=True', '--ServerApp.allow_root=True', '--log-level=ERROR'],
  ...['--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate', '--LabApp.custom_css=True'],
  '--LabApp.default_url=/lab/tree/index.ipynb',
];
