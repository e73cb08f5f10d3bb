/** JupyterLab as a place to work, in a real browser: each check resolves to a problem or undefined. */
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot } from './common.mjs';

/** Runs the checks whose names contain `wanted`; `told(name, problem)` hears of each. */
export async function checkLab(browser, lab, wanted, told) {
  for (const [name, check] of Object.entries(CHECKS).filter(([name]) => name.includes(wanted))) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    page.setDefaultTimeout(60_000);
    told(name, await check(page, lab).catch((error) => error.message.split('\n')[0]));
    await page.close();
  }
}

/** Writes a notebook of code cells into notebooks/. */
export function writeNotebook(file, sources) {
  const cells = sources.map((source, i) => ({
    ...{ cell_type: 'code', id: `cell-${i}`, execution_count: null },
    ...{ metadata: {}, outputs: [], source },
  }));
  const kernelspec = { display_name: 'TypeScript', language: 'typescript', name: 'tslab' };
  const notebook = { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
  writeFileSync(inRoot('notebooks', file), JSON.stringify(notebook));
}

/** Opens a file of notebooks/ in an empty workspace. */
const open = (page, { addressOf }, file) => page.goto(addressOf(`/lab/tree/${file}?reset`));

const kernelIdle = (page) =>
  page.locator('#jp-main-statusbar', { hasText: 'TypeScript | Idle' }).waitFor({ timeout: 60_000 });

const tab = (page, name) => page.locator('.lm-DockPanel-tabBar .lm-TabBar-tab', { hasText: name });

/** A notebook that was read, its figures too, is not changed and closes without a question. */
async function closesClean(page, lab) {
  for (const name of ['00-system-model.ipynb', '10-fig2-convergence.ipynb']) {
    // The checks that follow have copies of their own, e2e-NAME.
    const file = `e2e-clean-${name}`;
    copyFileSync(inRoot('notebooks', name), inRoot('notebooks', file));
    try {
      await open(page, lab, file);
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

/** The address that `npm start` prints opens the rendered start page; its links lead on and back. */
async function startsAtIndex(page, { url }) {
  await page.goto(url.replace('?', '?reset&'));
  const index = page.locator('.jp-NotebookPanel:visible');
  await index.locator('h2', { hasText: 'The verdict' }).waitFor();
  const text = await index.locator('.jp-Notebook').textContent();
  for (const word of ['independent claims', 'Reading order', '00 The serving model', 'Glossary', 'traps'])
    if (!text.includes(word)) return `the start page does not show "${word}"`;
  if ((await index.locator('.jp-OutputArea-output img').count()) === 0) return 'the start page has no picture';
  const steps = [
    ['00 system model →', '00-system-model.ipynb', '← index'],
    ['01 one requests life →', '01-one-requests-life.ipynb', '← 00 system model'],
  ];
  for (const [link, file, back] of steps) {
    await page.locator('.jp-NotebookPanel:visible a', { hasText: link }).first().click();
    await tab(page, file).waitFor();
    await page.locator('.jp-NotebookPanel:visible a', { hasText: back }).first().waitFor();
  }
}

async function rendersMarkdown(page, lab) {
  await open(page, lab, 'README.md');
  await page.locator('.jp-MarkdownViewer h1', { hasText: 'Notebooks' }).waitFor();
}

/** Writes a notebook, opens it, calls `use` and deletes it. */
async function withNotebook(page, lab, sources, use) {
  const file = 'e2e-lab.ipynb';
  writeNotebook(file, sources);
  try {
    await open(page, lab, file);
    await kernelIdle(page);
    return await use();
  } finally {
    rmSync(inRoot('notebooks', file), { force: true });
  }
}

async function command(page, menu, name) {
  await page.locator('.lm-MenuBar-itemLabel', { hasText: new RegExp(`^${menu}$`) }).click();
  await page.locator(`[data-command="${name}"]`).first().click();
}

/** Types at the end of the n-th cell. */
async function type(page, n, text) {
  await page.locator('.jp-CodeCell .cm-content').nth(n).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

const stdout = (page, text) => page.locator('.jp-OutputArea-output', { hasText: text }).waitFor();

/** Shift-Tab between parentheses, and Tab between quotes. */
function helpsToWrite(page, lab) {
  return withNotebook(page, lab, ["import * as lyreo from 'lyreo'; console.log('ready');", ' ', ' '], async () => {
    await command(page, 'Run', 'runmenu:run-all');
    await stdout(page, 'ready');
    await type(page, 1, "lyreo.systemConfig('calibrated', {");
    await page.keyboard.press('Shift+Tab');
    const tip = await page.locator('.jp-Tooltip').textContent();
    if (!tip.includes('preset: Preset') || !tip.includes('users?: number')) return `Shift-Tab shows "${tip}"`;
    await page.keyboard.press('Escape');
    await type(page, 2, "lyreo.schedulers['drift-");
    await page.keyboard.press('Tab');
    await page.locator('.jp-Completer', { hasText: 'drift-plus-penalty' }).waitFor({ timeout: 10_000 });
    await page.keyboard.press('Enter');
    await page.locator('.cm-content', { hasText: "lyreo.schedulers['drift-plus-penalty" }).waitFor({ timeout: 10_000 });
  });
}

/** In Run All a cell that is stopped says how to continue, whether it ends in order or not. */
function saysHowToContinue(page, lab) {
  const endless = "console.log('begun'); while (true) await new Promise((r) => setTimeout(r, 20));";
  const orderly = "import * as lyreo from 'lyreo'; const signal = lyreo.interruptSignal(); console.log('asked');";
  const waits = 'while (!signal.aborted) await lyreo.breathe();';
  return withNotebook(page, lab, [`${orderly} ${waits}`, endless, "console.log('reached');"], async () => {
    await command(page, 'Run', 'runmenu:run-all');
    await stdout(page, 'asked');
    await command(page, 'Kernel', 'kernelmenu:interrupt');
    await stdout(page, 'run this cell again');
    await stdout(page, 'begun');
    await command(page, 'Kernel', 'kernelmenu:interrupt');
    await stdout(page, 'Run Selected Cell and All Below');
    await sleep(1000);
    if ((await page.locator('.jp-OutputArea-output', { hasText: 'reached' }).count()) > 0)
      return 'the next cell has run';
  });
}

const CHECKS = {
  'npm start opens the index, and links lead from notebook to notebook': startsAtIndex,
  'a notebook that was read closes without a question': closesClean,
  'Markdown opens rendered': rendersMarkdown,
  'Shift-Tab shows signature and fields, Tab completes in quotes': helpsToWrite,
  'a stopped cell says how to continue': saysHowToContinue,
};
