import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserType, Page } from 'playwright-core';
import { encodeFigure, type EncodedFigure, type Figure } from '../plots/figure';
import { inKernel } from './kernel';

export interface RenderOptions {
  /** Default `png`. */
  readonly format?: 'png' | 'svg';
  /** Width [px]; default: the layout's, else 960. */
  readonly width?: number;
  /** Height [px]; default: the layout's, else 450. */
  readonly height?: number;
}

/**
 * Draws a figure with Plotly in a headless Chromium: the bytes of a PNG or the text of an SVG.
 * The same figure gives the same bytes on one machine (fonts differ between machines).
 */
export async function renderFigure(figure: Figure, options: RenderOptions = {}): Promise<Buffer> {
  const encoded = encodeFigure(figure);
  const { format = 'png', width = sizeOf(encoded, 'width', 960), height = sizeOf(encoded, 'height', 450) } = options;
  clearTimeout(idle);
  const page = await plotlyPage();
  const url = await page.evaluate(draw, {
    figure: encoded,
    options: { format, width, height, scale: format === 'png' ? 2 : 1 },
  });
  idle = setTimeout(() => void closeRenderer(), inKernel() ? IDLE_IN_KERNEL_MS : IDLE_MS);
  return decodeDataUrl(url);
}

/**
 * An unused browser is closed after this time, so that a finished program can end. In a kernel it stays: the signal of
 * its end could arrive inside TensorFlow's vector code, which some virtual machines answer with corrupted memory.
 */
const IDLE_MS = 5000;
const IDLE_IN_KERNEL_MS = 3_600_000;
let idle: NodeJS.Timeout | undefined;

/** Closes the browser that {@link renderFigure} keeps open for the next figure. */
export async function closeRenderer(): Promise<void> {
  clearTimeout(idle);
  const closing = opened;
  opened = undefined;
  await (await closing)?.browser.close();
}

let opened: Promise<{ readonly browser: Browser; readonly page: Page }> | undefined;

async function plotlyPage(): Promise<Page> {
  opened ??= open();
  try {
    const { browser, page } = await opened;
    if (browser.isConnected()) return page;
  } catch (error) {
    opened = undefined;
    throw error;
  }
  opened = open(); // the browser died
  return (await opened).page;
}

async function open(): Promise<{ readonly browser: Browser; readonly page: Page }> {
  const executablePath = findChromium();
  // Loaded on use: interactive notebooks never need a browser of their own.
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    // playwright would end this process, the kernel, on an interrupt.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const page = await browser.newPage();
  // Plotly makes ids of random numbers; seeded, the same figure gives the same bytes.
  await page.addInitScript(
    '{ let s = 12345; Math.random = () => ((s = (s * 1103515245 + 12345) % 2147483648) / 2147483648) }',
  );
  await page.goto('about:blank');
  await page.addScriptTag({ path: require.resolve('plotly.js') });
  return { browser, page };
}

function draw(input: { readonly figure: EncodedFigure; readonly options: object }): Promise<string> {
  const { Plotly } = globalThis as unknown as {
    Plotly: { toImage(figure: unknown, options: object): Promise<string> };
  };
  return Plotly.toImage({ data: input.figure.data, layout: input.figure.layout }, input.options);
}

function decodeDataUrl(url: string): Buffer {
  const comma = url.indexOf(',');
  const content = url.slice(comma + 1);
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(content, 'base64')
    : Buffer.from(decodeURIComponent(content), 'utf8');
}

function sizeOf(figure: EncodedFigure, name: 'width' | 'height', otherwise: number): number {
  const size = figure.layout[name];
  return typeof size === 'number' ? size : otherwise;
}

/** The path of Chromium or Chrome: `CHROMIUM_PATH`, the usual places, or playwright's own download. */
export function findChromium(): string {
  const fromEnv = process.env['CHROMIUM_PATH'];
  if (fromEnv !== undefined && fromEnv !== '') {
    if (existsSync(fromEnv)) return fromEnv;
    throw new Error(`CHROMIUM_PATH is ${fromEnv}, which does not exist`);
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const folders = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/homebrew/bin'];
  const candidates = [
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  const found = candidates.find((path) => existsSync(path)) ?? playwrightDownload();
  if (found !== undefined) return found;
  throw new Error(
    'a figure is drawn as a picture by Chromium, which was not found; install it ' +
      '(Debian: apt-get install chromium, Fedora: dnf install chromium, ' +
      'macOS: brew install --cask chromium) or set CHROMIUM_PATH',
  );
}

/** The Chromium that `npx playwright-core install chromium` has put into playwright's folder, if it has. */
function playwrightDownload(): string | undefined {
  const { chromium } = createRequire(__filename)('playwright-core') as { readonly chromium: BrowserType };
  try {
    const path = chromium.executablePath();
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined; // a system that playwright has no Chromium for
  }
}
