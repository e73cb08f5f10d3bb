/** npm run notebooks, npm run site: set-up, then a script of scripts/ in the project's Python. */
import { inRoot, jupyterEnv, main, run, venvPython } from './common.mjs';
import { setup } from './setup.mjs';

main(async () => {
  await setup();
  const [script, ...rest] = process.argv.slice(2);
  return run(venvPython, [inRoot('scripts', script), ...rest], { env: jupyterEnv() });
});
