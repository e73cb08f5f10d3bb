/** npm run notebooks [-- NAME ...]: set-up, then scripts/notebooks.py, which explains itself. */
import { inRoot, jupyterEnv, main, run, venvPython } from './common.mjs';
import { setup } from './setup.mjs';

main(async () => {
  await setup();
  return run(venvPython, [inRoot('scripts', 'notebooks.py'), ...process.argv.slice(2)], { env: jupyterEnv() });
});
