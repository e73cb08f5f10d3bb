/** JupyterLab as a place to work, in a real browser: each check resolves to a problem or undefined. */
import { copyFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './common.mjs';

/** Runs the checks whose names contain `wanted`; `told(name, problem)` hears of each. */
export async function checkLab(browser, addressOf, wanted, told) {
  for (const [name, check] of Object.entries(CHECKS).filter(([name]) => name.includes(wanted))) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    told(name, await check(page, addressOf).catch((error) => error.message.split('\n')[0]));
    await page.close();
  }
}

/** Opens a file of notebooks/ in an empty workspace. */
const open = (page, addressOf, file) => page.goto(addressOf(`/lab/tree/${file}?reset`));

const kernelIdle = (page) =>
  page.locator('#jp-main-statusbar', { hasText: 'TypeScript | Idle' }).waitFor({ timeout: 60_000 });

const tab = (page, name) => page.locator('.lm-DockPanel-tabBar .lm-TabBar-tab', { hasText: name });

/** A notebook that was read, its figures too, is not changed and closes without a question. */
async function opensClean(page, addressOf) {
  for (const name of ['00-system-model.ipynb', '10-fig2-convergence.ipynb']) {
    const file = `e2e-${name}`;
    copyFileSync(inRoot('notebooks', name), inRoot('notebooks', file));
    try {
      await open(page, addressOf, file);
      await kernelIdle(page);
      const figure = page.locator('.jp-RenderedPlotly').first();
      await figure.scrollIntoViewIfNeeded();
      await figure.hover();
      await page.locator('.js-plotly-plot .main-svg').first().waitFor({ timeout: 60_000 });
      await sleep(2000);
      const opened = tab(page, file);
      if ((await opened.getAttribute('class')).includes('jp-mod-dirty')) return `${name} is changed by reading it`;
      await opened.locator('.lm-TabBar-tabCloseIcon').click();
      await opened.waitFor({ state: 'detached', timeout: 10_000 });
      if ((await page.locator('.jp-Dialog').count()) > 0) return `${name} asks when it is closed`;
    } finally {
      rmSync(inRoot('notebooks', file), { force: true });
    }
  }
}

const CHECKS = {
  'a notebook that was read closes without a question': opensClean,
};
