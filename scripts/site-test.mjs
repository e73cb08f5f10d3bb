/**
 * The pages of `npm run site` as a reader opens them: from the folder, in a real browser, without a network.
 * Prints `ok name` or `FAIL name: why` per page.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inRoot, launchBrowser, main, reporter, run } from './common.mjs';

main(async () => {
  const made = [inRoot('scripts', 'python.mjs'), 'site.py'];
  if ((await run(process.execPath, made, { stdio: ['ignore', 'ignore', 'inherit'] })) !== 0) return 1;
  const pages = readdirSync(inRoot('site')).filter((name) => name.endsWith('.html'));
  const browser = await launchBrowser();
  const { tell, exitCode } = reporter();
  try {
    for (const name of pages) await tell(name, () => check(browser, name));
    await tell('a figure', () => checkFigure(browser));
  } finally {
    await browser.close();
  }
  return exitCode();
});

const address = (name) => pathToFileURL(inRoot('site', name)).href;

/** Opens a page, narrow, and resolves to a problem or undefined. */
async function check(browser, name) {
  const page = await browser.newPage({ viewport: { width: 700, height: 900 }, offline: true });
  const complaints = [];
  // A request of another machine fails, for the browser is offline.
  page.on('requestfailed', (request) => complaints.push(`${request.url()} cannot be had`));
  page.on('pageerror', (error) => complaints.push(error.message));
  try {
    await page.goto(address(name));
    const seen = await page.evaluate(look);
    const problems = [
      ...complaints,
      seen.title === '' && 'has no title',
      seen.open > 0 && `${seen.open} code cells are open at first`,
      seen.contents === 0 && 'has no contents list',
      seen.tables < seen.pictures && `${seen.pictures} pictures, but only ${seen.tables} tables of their numbers`,
      ...seen.blank.map((picture) => `shows no picture ${picture}`),
      ...seen.raw.map((text) => `does not typeset ${text}`),
      seen.width > 700 && `is ${seen.width} px wide in a window of 700`,
      ...seen.links.filter((link) => !resolves(link)).map((link) => `links to ${link}, which is not in the site`),
    ];
    return problems.find(Boolean);
  } finally {
    await page.close();
  }
}

/** In the page: the faults that a reader would see. */
async function look() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const images = all('img');
  for (const image of images) image.loading = 'eager';
  await Promise.all(images.map((image) => image.decode().catch(() => undefined)));
  const isTypeset = (formula) => formula.querySelector('.katex-html')?.getBoundingClientRect().width > 0;
  return {
    title: document.title,
    blank: images.filter((image) => image.naturalWidth === 0).map((image) => image.getAttribute('src')),
    open: all('main details[open]').length,
    contents: all('.contents a').length,
    pictures: all('.output_png img').length,
    tables: all('a[href$=".csv"]').length,
    raw: [
      ...all('.tex').filter((formula) => !isTypeset(formula)),
      ...all('.text_cell_render p').filter((text) => /\$.+\$/.test(text.textContent)),
    ].map((place) => place.textContent),
    width: document.documentElement.scrollWidth,
    links: all('a[href]').map((link) => link.href),
  };
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
  await page.goto(address('02-kv-explorer.html'));
  await page.locator('.output_png img').first().click();
  await page.locator('.js-plotly-plot .trace').first().waitFor({ state: 'attached', timeout: 30_000 });
  await page.close();
}
