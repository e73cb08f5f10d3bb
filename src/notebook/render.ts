import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type * as Playwright from 'playwright-core';
import { encodeFigure, type Figure } from '../plots/figure';
import { inKernel } from './kernel';

/** Loaded on use: interactive notebooks never need a browser of their own. */
function playwright(): typeof Playwright {
  return createRequire(__filename)('playwright-core') as typeof Playwright;
}

/**
 * Draws a figure with Plotly in a headless Chromium, in the layout's size (default 960 × 450): the bytes of a PNG of twice
 * that size or the text of an SVG. The same figure gives the same bytes on one machine (fonts differ between machines).
 */
export async function renderFigure(figure: Figure, format: 'png' | 'svg'): Promise<Buffer> {
  const { data, layout } = encodeFigure(figure);
  const { width = 960, height = 450 } = layout as { readonly width?: number; readonly height?: number };
  clearTimeout(idle);
  const page = await plotlyPage();
  const options = { format, width, height, scale: format === 'png' ? 2 : 1 };
  const call = [{ data, layout }, options].map((part) => JSON.stringify(part)).join();
  const url = await page.evaluate<string>(`Plotly.toImage(${call})`);
  idle = setTimeout(() => void closeRenderer(), inKernel() ? IDLE_IN_KERNEL_MS : IDLE_MS);
  const comma = url.indexOf(',');
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(url.slice(comma + 1), 'base64')
    : Buffer.from(decodeURIComponent(url.slice(comma + 1)));
}

/**
 * An unused browser is closed after this time, so that a finished program can end. In a kernel it stays: the signal of
 * its end could arrive inside TensorFlow's vector code, which some virtual machines answer with corrupted memory.
 */
const IDLE_MS = 5000;
const IDLE_IN_KERNEL_MS = 3_600_000;
let idle: NodeJS.Timeout | undefined;
let opened: Promise<Playwright.Page> | undefined;

/** Closes the browser that {@link renderFigure} keeps open for the next figure. */
export async function closeRenderer(): Promise<void> {
  clearTimeout(idle);
  const closing = opened;
  opened = undefined;
  await (await closing)?.context().browser()?.close();
}

async function plotlyPage(): Promise<Playwright.Page> {
  const page = await (opened ??= open()).catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  if (page.context().browser()?.isConnected()) return page;
  opened = undefined; // the browser died
  return plotlyPage();
}

async function open(): Promise<Playwright.Page> {
  // playwright would end this process, the kernel, on an interrupt.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const options = { executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'], ...signals };
  const page = await (await playwright().chromium.launch(options)).newPage();
  // Plotly makes ids of random numbers; seeded, the same figure gives the same bytes.
  await page.addInitScript(
    '{ let s = 12345; Math.random = () => ((s = (s * 1103515245 + 12345) % 2147483648) / 2147483648) }',
  );
  await page.goto('about:blank');
  await page.addScriptTag({ path: require.resolve('plotly.js') });
  return page;
}

/** The path of Chromium or Chrome: `CHROMIUM_PATH`, the usual places, or playwright's own download. */
export function findChromium(): string {
  const given = process.env['CHROMIUM_PATH'] ?? '';
  if (given !== '' && !existsSync(given)) throw new Error(`CHROMIUM_PATH is ${given}, which does not exist`);
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/snap/bin', '/opt/homebrew/bin'];
  const paths = [
    given,
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    ...['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
  ];
  const found = paths.find((path) => existsSync(path));
  if (found !== undefined) return found;
  try {
    const own = playwright().chromium.executablePath();
    if (existsSync(own)) return own;
  } catch {
    // a system that playwright has no Chromium for
  }
  throw new Error(
    'a figure is drawn as a picture by Chromium, which was not found; install it ' +
      '(Debian: apt-get install chromium, Fedora: dnf install chromium, ' +
      'macOS: brew install --cask chromium) or set CHROMIUM_PATH',
  );
}
