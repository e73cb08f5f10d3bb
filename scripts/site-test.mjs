/**
 * The pages of `npm run site` as a reader opens them: from the folder, in a real browser, without a network.
 * Prints `ok name` or `FAIL name: why` per page.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { inRoot, main, run } from './common.mjs';

const { findChromium } = createRequire(import.meta.url)('../dist/notebook/render.js');
const SCRIPT = inRoot('scripts', 'site.mjs');

main(async () => {
  let failed = 0;
  const told = (name, problem) => {
    if (problem) failed++;
    console.log(problem ? `FAIL ${name}: ${problem}` : `ok ${name}`);
  };
  if ((await run(process.execPath, [SCRIPT], { stdio: ['ignore', 'ignore', 'inherit'] })) !== 0) return 1;
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    for (const name of pageNames()) told(name, await check(browser, name).catch((error) => error.message));
    told('a figure', await checkFigure(browser).catch((error) => error.message));
    told('an interrupted export', await checkInterrupted());
  } finally {
    await browser.close();
  }
  return failed > 0 ? 1 : 0;
});

function pageNames() {
  const notebooks = readdirSync(inRoot('notebooks')).filter((name) => /^(?!e2e-).*\.ipynb$/.test(name));
  return notebooks.map((name) => name.replace(/\.ipynb$/, ''));
}

const address = (name) => pathToFileURL(inRoot('site', `${name}.html`)).href;

/** Opens a page, narrow, and resolves to a problem or undefined. */
async function check(browser, name) {
  const page = await browser.newPage({ viewport: { width: 700, height: 900 }, offline: true });
  const asked = [];
  const complaints = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} cannot be had`));
  page.on('pageerror', (error) => complaints.push(error.message));
  try {
    await page.goto(address(name));
    const seen = await page.evaluate(look);
    const outside = asked.find((url) => !/^(file|data):/.test(url));
    if (outside) return `asks for ${outside}`;
    if (complaints.length > 0) return complaints[0];
    if (seen.title === '') return 'has no title';
    if (seen.open > 0) return `${seen.open} code cells are open at first`;
    if (seen.contents === 0) return 'has no contents list';
    if (seen.tables < seen.pictures)
      return `${seen.pictures} pictures, but only ${seen.tables} tables of their numbers`;
    if (seen.blank.length > 0) return `shows no picture ${seen.blank[0]}`;
    if (seen.formulas < formulasOf(name)) return `${formulasOf(name)} formulas expected, ${seen.formulas} there`;
    if (seen.fonts === 0 && seen.formulas > 0) return 'the fonts of formulas are not loaded';
    if (seen.width > 700) return `is ${seen.width} px wide in a window of 700`;
    const broken = seen.links.find((link) => !resolves(link));
    return broken && `links to ${broken}, which is not in the site`;
  } finally {
    await page.close();
  }
}

/** In the page: what a reader would miss. */
async function look() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const images = all('img');
  for (const image of images) image.loading = 'eager';
  await Promise.all(images.map((image) => image.decode().catch(() => undefined)));
  await document.fonts.ready;
  return {
    title: document.title,
    blank: images.filter((image) => image.naturalWidth === 0).map((image) => image.getAttribute('src')),
    open: all('main details[open]').length,
    contents: all('.contents a').length,
    pictures: all('.output_png img').length,
    tables: all('a[href$=".csv"]').length,
    formulas: all('.katex').filter((formula) => formula.getBoundingClientRect().width > 0).length,
    fonts: [...document.fonts].filter((font) => font.family.startsWith('KaTeX') && font.status === 'loaded').length,
    width: document.documentElement.scrollWidth,
    links: all('a[href]').map((link) => link.href),
  };
}

/** Formulas in a notebook's words; those in outputs are beside the count. */
function formulasOf(name) {
  const file = inRoot('notebooks', `${name}.ipynb`);
  if (!existsSync(file)) return 0;
  const { cells } = JSON.parse(readFileSync(file, 'utf8'));
  const words = cells.filter((cell) => cell.cell_type === 'markdown').map((cell) => [cell.source].flat().join(''));
  return words.join('\n\n').match(/\$\$[^$]+\$\$|\$[^$]+\$/g)?.length ?? 0;
}

/** A file of the site that is there; in one of our pages also the place that the link names. */
function resolves(link) {
  const [file, place] = link.split('#');
  if (!link.startsWith('file:')) return /^https:/.test(link);
  const path = fileURLToPath(file);
  if (!path.startsWith(inRoot('site')) || !existsSync(path)) return false;
  const text = place === undefined ? '' : readFileSync(path, 'utf8');
  return place === undefined || [place, decodeURIComponent(place)].some((id) => text.includes(`id="${id}"`));
}

/** A click on a picture draws the figure. */
async function checkFigure(browser) {
  const page = await browser.newPage({ offline: true });
  await page.goto(address('02-kv-explorer'));
  await page.locator('.output_png img').first().click();
  await page.locator('.js-plotly-plot .main-svg').first().waitFor({ timeout: 30_000 });
  const marks = await page.locator('.js-plotly-plot .trace').count();
  await page.close();
  return marks === 0 ? 'is empty' : undefined;
}

/** An export that is killed leaves the pages of the last. */
async function checkInterrupted() {
  const child = spawn(process.execPath, [SCRIPT], { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const half = inRoot('site.part');
  while (!existsSync(half) && child.exitCode === null) await sleep(20);
  process.kill(-child.pid, 'SIGKILL');
  await ended;
  rmSync(half, { recursive: true, force: true });
  const gone = pageNames().find((name) => !existsSync(inRoot('site', `${name}.html`)));
  return gone && `takes ${gone} away`;
}
