/**
 * e2e.mjs [PART]: `npm start`'s own script, a real browser, JupyterLab as a place to work, and the notebooks as a reader
 * runs them; with PART only the checks whose names contain it. Prints `ok name` or `FAIL name: why` per check.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { inRoot, jupyterEnv, main, root } from './common.mjs';
import { checkLab, writeNotebook } from './e2e-lab.mjs';

const { findChromium } = createRequire(import.meta.url)('../dist/notebook/render.js');
const PLOTLY = 'application/vnd.plotly.v1+json';
const RUN_ALL_MS = 240_000;

main(async () => {
  const wanted = process.argv[2] ?? '';
  const notebooks = prepare(wanted);
  const lab = await startLab();
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  let failed = 0;
  const told = (name, problem) => {
    if (problem) failed++;
    console.log(problem ? `FAIL ${name}: ${problem}` : `ok ${name}`);
  };
  try {
    await checkLab(browser, lab, wanted, told);
    for (const notebook of notebooks)
      told(notebook.name, await check(browser, lab.addressOf, notebook).catch((error) => error.message));
  } finally {
    await browser.close();
    await lab.stop();
    for (const { file } of notebooks) rmSync(inRoot('notebooks', file), { force: true });
  }
  return failed > 0 ? 1 : 0;
});

/** Copies, for JupyterLab saves what it runs. Each with the numbers of cells and plots it must show. */
function prepare(wanted) {
  const names = readdirSync(inRoot('notebooks')).filter((name) => /^0.*\.ipynb$/.test(name) && name.includes(wanted));
  const copies = names.sort().map((name) => {
    const file = `e2e-${name}`;
    copyFileSync(inRoot('notebooks', name), inRoot('notebooks', file));
    const { cells } = JSON.parse(readFileSync(inRoot('notebooks', name), 'utf8'));
    const outputs = cells.flatMap((cell) => cell.outputs ?? []);
    const code = cells.filter((cell) => cell.cell_type === 'code' && cell.source.length > 0);
    return { name, file, cells: code.length, plots: outputs.filter((output) => output.data?.[PLOTLY]).length };
  });
  return ['display helpers']
    .filter((name) => name.includes(wanted))
    .map(helpersNotebook)
    .concat(copies);
}

/** The display helpers by themselves: typed arrays, a figure that is redrawn, a table. */
function helpersNotebook(name) {
  const file = 'e2e-helpers.ipynb';
  const sources = [
    "import * as lyreo from 'lyreo';",
    "await lyreo.plot({ data: [{ x: Float64Array.of(1, 2, 3), y: Float64Array.of(2, 1, 3) }], layout: { title: { text: 'typed' } } });",
    `const live = lyreo.livePlot({ everyMs: 0 });
for (let i = 1; i <= 4; i++) {
  await live.update({ data: [{ y: Array.from({ length: i + 1 }, (_, k) => k) }], layout: { title: { text: 'update ' + i } } });
  await new Promise((r) => setTimeout(r, 300));
}
await live.done();`,
    "lyreo.table([{ name: 'a', value: 1 }]);",
  ];
  writeNotebook(file, sources);
  return { name, file, cells: sources.length, plots: 2, titles: ['typed', 'update 4'] };
}

async function startLab() {
  const port = 20_000 + (process.pid % 20_000);
  const args = [inRoot('scripts', 'start.mjs'), '--no-browser', '--port', String(port)];
  const child = spawn(process.execPath, args, { cwd: root, env: jupyterEnv(), stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  for (let tries = 0; tries < 300; tries++) {
    const url = /http:\S+/.exec(output)?.[0];
    if (url) {
      const token = new URL(url).searchParams.get('token');
      const addressOf = (path) => `${new URL(path, url)}${path.includes('?') ? '&' : '?'}token=${token}`;
      const response = await fetch(addressOf('/api/status')).catch(() => undefined);
      if (!response?.ok) break; // the address is printed before the server listens
      const stop = async () => {
        child.kill('SIGTERM');
        await ended;
      };
      return { url, addressOf, stop };
    }
    if (child.exitCode !== null) break;
    await sleep(200);
  }
  child.kill('SIGTERM');
  throw new Error(`JupyterLab did not answer:\n${output}`);
}

/** Before the page is connected to a kernel, Run All asks for one in a dialog. */
async function kernelReady(addressOf, file) {
  for (let tries = 0; tries < 300; tries++) {
    const sessions = await (await fetch(addressOf('/api/sessions'))).json();
    const kernel = sessions.find((session) => session.path === file)?.kernel;
    if (kernel?.connections > 0 && kernel.execution_state === 'idle') return;
    await sleep(200);
  }
  throw new Error('the kernel did not start');
}

/** Opens a notebook, runs all cells and looks at the page; resolves to a problem or undefined. */
async function check(browser, addressOf, { file, cells, plots, titles = [] }) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  try {
    await page.goto(addressOf(`/lab/tree/${file}?reset`));
    await page.locator('.jp-Notebook .jp-CodeCell').first().waitFor({ timeout: 60_000 });
    await kernelReady(addressOf, file);
    await page.locator('#jp-main-statusbar', { hasText: 'TypeScript | Idle' }).waitFor({ timeout: 60_000 });
    const overhang = await page.evaluate(widestOverhang);
    if (overhang > 0) return `a stored picture is ${overhang} px wider than its cell`;
    await page.locator('.lm-MenuBar-itemLabel', { hasText: /^Run$/ }).click();
    await page.locator('[data-command="runmenu:run-all"]').click();
    await page.waitForFunction(cellsRan, cells, { timeout: RUN_ALL_MS, polling: 250 });
    await page.waitForFunction(
      (count) => document.querySelectorAll('.js-plotly-plot:has(.main-svg)').length >= count,
      plots,
      {
        timeout: 60_000,
        polling: 250,
      },
    );
    await sleep(1000);
    const seen = await page.evaluate(look);
    if (seen.question) return `JupyterLab asks: ${seen.question}`;
    if (seen.errors.length > 0) return `error output: ${seen.errors.join('\n').slice(0, 800)}`;
    if (seen.drawn.length !== plots) return `${plots} plots expected, ${seen.drawn.length} there`;
    if (seen.drawn.includes(false)) return `plot ${seen.drawn.indexOf(false) + 1} is empty`;
    const absent = titles.find((title) => !seen.titles.includes(title));
    return absent && `no plot is titled "${absent}", only ${seen.titles.join(', ')}`;
  } catch (error) {
    await page.screenshot({ path: inRoot('.cache', `${file}.png`) });
    throw new Error(`${error.message.split('\n')[0]} (see .cache/${file}.png)`, { cause: error });
  } finally {
    await page.close();
  }
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

/** In the page: error texts, and for each plot whether anything is drawn in it, and its title. */
function look() {
  const marks =
    '.cartesianlayer .trace *, .heatmaplayer image, .contourlayer path, .shapelayer path, .barlayer path, ' +
    '.pielayer path, .sankey path, .table .cell-text, .gl-canvas, .polarlayer .trace *';
  const all = (selector) => [...document.querySelectorAll(selector)];
  const plots = all('.js-plotly-plot');
  return {
    question: all('.jp-Dialog')[0]?.textContent,
    errors: all('[data-mime-type="application/vnd.jupyter.stderr"]').map((node) => node.textContent),
    drawn: plots.map((plot) => plot.querySelector(marks) !== null),
    titles: plots.map((plot) => plot.querySelector('.gtitle')?.textContent ?? ''),
  };
}
