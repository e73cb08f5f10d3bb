/**
 * e2e.mjs [PART]: `npm start`'s own script, a real browser, JupyterLab as a place to work, and the notebooks as a reader
 * runs them; with PART only the checks whose names contain it. Prints `ok name` or `FAIL name: why` per check.
 */
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot, jupyterEnv, launchBrowser, main, reporter, root } from './common.mjs';

const PLOTLY = 'application/vnd.plotly.v1+json';
const PATIENCE = { timeout: 60_000, polling: 250 };
const RUN_ALL = { timeout: 240_000, polling: 250 };
const notebook = (name) => inRoot('notebooks', name);

main(async () => {
  const wanted = process.argv[2] ?? '';
  const runnable = readdirSync(notebook('')).filter((name) => /^0.*\.ipynb$/.test(name));
  const checks = {
    'npm start opens the index, and links lead from notebook to notebook': startsAtIndex,
    'a notebook that was read closes without a question': closesClean,
    'Markdown opens rendered': rendersMarkdown,
    'Shift-Tab shows signature and fields, Tab completes in quotes': helpsToWrite,
    'a stopped cell says how to continue': saysHowToContinue,
    ...Object.fromEntries(runnable.map((name) => [name, (page, lab) => runsAll(page, lab, name)])),
  };
  const lab = await startLab();
  const browser = await launchBrowser();
  const { tell, exitCode } = reporter();
  try {
    for (const [name, check] of Object.entries(checks).filter(([name]) => name.includes(wanted))) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
      page.setDefaultTimeout(PATIENCE.timeout);
      await tell(name, () => check(page, lab));
      await page.close();
    }
  } finally {
    await browser.close();
    await lab.stop();
  }
  return exitCode();
});

/** JupyterLab as { url, addressOf(path), stop() }. */
async function startLab() {
  const port = 20_000 + (process.pid % 20_000);
  const args = [inRoot('scripts', 'start.mjs'), '--no-browser', '--port', String(port)];
  const child = spawn(process.execPath, args, { cwd: root, env: jupyterEnv(), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = () => child.kill('SIGTERM') && ended;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  for (let tries = 0; tries < 300 && child.exitCode === null; tries++, await sleep(200)) {
    const url = /http:\S+token=\w+\s/.exec(output)?.[0].trim();
    if (url === undefined) continue;
    const token = new URL(url).searchParams.get('token');
    const addressOf = (path) => `${new URL(path, url)}${path.includes('?') ? '&' : '?'}token=${token}`;
    return { url, addressOf, stop };
  }
  await stop();
  throw new Error(`JupyterLab did not answer:\n${output}`);
}

/** Opens a file of notebooks/ in an empty workspace. */
const open = (page, { addressOf }, file) => page.goto(addressOf(`/lab/tree/${file}?reset`));

const tab = (page, name) => page.locator('.lm-DockPanel-tabBar .lm-TabBar-tab', { hasText: name });

/** Opens a notebook with an idle kernel, a file of its own, for JupyterLab saves what it runs; calls `use`. */
async function withNotebook(page, lab, text, use) {
  const file = 'e2e-notebook.ipynb';
  writeFileSync(notebook(file), text);
  try {
    await open(page, lab, file);
    await kernelReady(lab, file);
    await page.locator('#jp-main-statusbar', { hasText: 'TypeScript | Idle' }).waitFor();
    return await use(file);
  } finally {
    rmSync(notebook(file), { force: true });
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
  const linkTo = (text) => page.locator('.jp-NotebookPanel:visible a', { hasText: text }).first();
  await linkTo('00 system model →').click();
  await tab(page, '00-system-model.ipynb').waitFor();
  await linkTo('← index').waitFor();
  await linkTo('01 one requests life →').click();
  await tab(page, '01-one-requests-life.ipynb').waitFor();
}

/** A notebook that was read, its figures too, is not changed and closes without a question. */
function closesClean(page, lab) {
  return withNotebook(page, lab, readFileSync(notebook('00-system-model.ipynb'), 'utf8'), async (file) => {
    const figure = page.locator('.jp-RenderedPlotly').first();
    await figure.scrollIntoViewIfNeeded();
    await figure.hover();
    await page.locator('.js-plotly-plot .main-svg').first().waitFor();
    await sleep(2000);
    const opened = tab(page, file);
    if ((await opened.getAttribute('class')).includes('jp-mod-dirty')) return 'it is changed by reading it';
    await opened.locator('.lm-TabBar-tabCloseIcon').click();
    await opened.waitFor({ state: 'detached', timeout: 10_000 });
    if ((await page.locator('.jp-Dialog').count()) > 0) return 'JupyterLab asks when it is closed';
  });
}

async function rendersMarkdown(page, lab) {
  await open(page, lab, 'README.md');
  await page.locator('.jp-MarkdownViewer h1', { hasText: 'Notebooks' }).waitFor();
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

const output = (page, text) => page.locator('.jp-OutputArea-output', { hasText: text });

function withCells(page, lab, sources, use) {
  const code = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [] };
  const cells = sources.map((source, i) => ({ ...code, id: `cell-${i}`, source }));
  const kernelspec = { display_name: 'TypeScript', language: 'typescript', name: 'tslab' };
  const text = JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 });
  return withNotebook(page, lab, text, use);
}

/** Shift-Tab between parentheses, and Tab between quotes. */
function helpsToWrite(page, lab) {
  return withCells(page, lab, ["import * as lyreo from 'lyreo'; console.log('ready');", ' ', ' '], async () => {
    await command(page, 'Run', 'runmenu:run-all');
    await output(page, 'ready').waitFor();
    await type(page, 1, "lyreo.systemConfig('calibrated', {");
    await page.keyboard.press('Shift+Tab');
    const tip = await page.locator('.jp-Tooltip').textContent();
    if (!tip.includes('preset: Preset') || !tip.includes('users?: number')) return `Shift-Tab shows "${tip}"`;
    await page.keyboard.press('Escape');
    await type(page, 2, "lyreo.schedulers['drift-");
    await page.keyboard.press('Tab');
    await page.locator('.jp-Completer', { hasText: 'drift-plus-penalty' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.cm-content', { hasText: "lyreo.schedulers['drift-plus-penalty" }).waitFor();
  });
}

/** In Run All a cell that is stopped says how to continue, whether it ends in order or not. */
function saysHowToContinue(page, lab) {
  const endless = "console.log('begun'); while (true) await new Promise((r) => setTimeout(r, 20));";
  const orderly = "import * as lyreo from 'lyreo'; const signal = lyreo.interruptSignal(); console.log('asked');";
  const waits = 'while (!signal.aborted) await lyreo.breathe();';
  return withCells(page, lab, [`${orderly} ${waits}`, endless, "console.log('reached');"], async () => {
    await command(page, 'Run', 'runmenu:run-all');
    await output(page, 'asked').waitFor();
    await command(page, 'Kernel', 'kernelmenu:interrupt');
    await output(page, 'run this cell again').waitFor();
    await output(page, 'begun').waitFor();
    await command(page, 'Kernel', 'kernelmenu:interrupt');
    await output(page, 'Run Selected Cell and All Below').waitFor();
    await sleep(1000);
    if ((await output(page, 'reached').count()) > 0) return 'the next cell has run';
  });
}

/** Opens a copy of a notebook, runs all cells and compares the page with the stored outputs; resolves to a problem or undefined. */
function runsAll(page, lab, name) {
  const text = readFileSync(notebook(name), 'utf8');
  return withNotebook(page, lab, text, async () => {
    const cells = JSON.parse(text).cells.filter(({ cell_type }) => cell_type === 'code');
    const figures = cells.flatMap(({ outputs }) => outputs.flatMap(({ data }) => data?.[PLOTLY] ?? []));
    const titles = figures.map(({ layout }) => layout.title?.text?.replace(/<[^>]*>/g, '') ?? '');
    const overhang = await page.evaluate(widestOverhang);
    if (overhang > 0) return `a stored picture is ${overhang} px wider than its cell`;
    await command(page, 'Run', 'runmenu:run-all');
    await page.waitForFunction(cellsRan, cells.filter(({ source }) => source.length > 0).length, RUN_ALL);
    await page.waitForFunction(plotsDrawn, figures.length, PATIENCE);
    await sleep(1000);
    const seen = await page.evaluate(look);
    if (seen.question) return `JupyterLab asks: ${seen.question}`;
    if (seen.errors.length > 0) return `error output: ${seen.errors.join('\n').slice(0, 800)}`;
    if (seen.drawn.length !== figures.length) return `${figures.length} plots expected, ${seen.drawn.length} there`;
    if (seen.drawn.includes(false)) return `plot ${seen.drawn.indexOf(false) + 1} is empty`;
    const wrong = titles.findIndex((title, k) => !title.startsWith(seen.titles[k].slice(0, 8)));
    return wrong < 0 ? undefined : `plot ${wrong + 1} is titled "${seen.titles[wrong]}", not "${titles[wrong]}"`;
  });
}

/** Before the page is connected to a kernel, Run All asks for one in a dialog. */
async function kernelReady({ addressOf }, file) {
  for (let tries = 0; tries < 300; tries++, await sleep(200)) {
    const sessions = await (await fetch(addressOf('/api/sessions'))).json();
    const kernel = sessions.find((session) => session.path === file)?.kernel;
    if (kernel?.connections > 0 && kernel.execution_state === 'idle') return;
  }
  throw new Error('the kernel did not start');
}

/** In the page: by how much the pictures of stored figures are wider than their places. */
async function widestOverhang() {
  const pictures = [...document.querySelectorAll('.jp-RenderedPlotly .plot-img')];
  await Promise.all(pictures.map((picture) => picture.decode().catch(() => undefined)));
  return Math.max(0, ...pictures.map((picture) => picture.clientWidth - picture.parentElement.clientWidth));
}

/** In the page: so many code cells have a number, or one has failed, or a question is asked. */
function cellsRan(count) {
  const stopped = '[data-mime-type="application/vnd.jupyter.stderr"], .jp-Dialog';
  if (document.querySelector(stopped)) return true;
  const prompts = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputPrompt')];
  return prompts.filter((prompt) => /\d/.test(prompt.textContent)).length >= count;
}

const plotsDrawn = (count) => document.querySelectorAll('.js-plotly-plot:has(.main-svg)').length >= count;

/** In the page: error texts, and for each plot whether anything is drawn in it, and its title. */
function look() {
  const marks = '.trace *, .heatmaplayer image, .shapelayer path, .barlayer path, .gl-canvas';
  const all = (selector) => [...document.querySelectorAll(selector)];
  const plots = all('.js-plotly-plot');
  return {
    question: all('.jp-Dialog')[0]?.textContent,
    errors: all('[data-mime-type="application/vnd.jupyter.stderr"]').map((node) => node.textContent),
    drawn: plots.map((plot) => plot.querySelector(marks) !== null),
    titles: plots.map((plot) => plot.querySelector('.gtitle')?.textContent ?? ''),
  };
}
