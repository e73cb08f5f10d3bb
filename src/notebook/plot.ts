import { join, resolve } from 'node:path';
import { writeFileAtomic } from '../core/atomic';
import { makeFolder } from '../core/files';
import { encodeFigure, type Figure } from '../plots/figure';
import { breathe, display, displaySlot, inKernel, isStatic, type MimeBundle } from './kernel';
import { renderFigure } from './render';

const PLOTLY = 'application/vnd.plotly.v1+json';

export interface PlotOptions {
  /** File name without ending: headless runs also write `figures/<name>.svg` and `.png`. */
  readonly name?: string;
  /** One sentence for readers that show neither the figure nor its picture. */
  readonly caption?: string;
}

/**
 * Shows a figure: interactive in JupyterLab; when notebooks are written headless (LYREO_STATIC=1)
 * also as a picture, for GitHub, nbviewer and print. Outside a notebook it prints the caption.
 */
export async function plot(figure: Figure, options: PlotOptions = {}): Promise<void> {
  display(await bundleOf(figure, options));
}

/** A figure that is drawn again and again in the same place. */
export interface LivePlot {
  /** Draws the figure in place of the last one, at most four times a second. Await it. */
  update(figure: Figure): Promise<void>;
  /** Draws the last figure, pictures included. Await it after the loop. */
  done(figure?: Figure): Promise<void>;
}

/**
 * A figure for a running computation.
 *
 * Note: JupyterLab's renderer ignores an update of a Plotly output (plotly.py#3053), unless the
 * output was something else in between; hence the empty text before each figure.
 */
export function livePlot(options: PlotOptions = {}): LivePlot {
  const place = displaySlot();
  let last: Figure | undefined;
  let drawnAt = -Infinity;
  const show = (bundle: MimeBundle): void => {
    place({ 'text/plain': '' });
    place(bundle);
  };
  return {
    async update(figure) {
      last = figure;
      const now = performance.now();
      if (inKernel() && !isStatic() && now - drawnAt >= 250) {
        drawnAt = now;
        show({ [PLOTLY]: encodeFigure(figure) });
      }
      await breathe();
    },
    async done(figure = last) {
      if (figure !== undefined) show(await bundleOf(figure, options));
    },
  };
}

async function bundleOf(figure: Figure, { name, caption }: PlotOptions): Promise<MimeBundle> {
  const { title } = (figure.layout ?? {}) as { title?: string | { text?: string } };
  const words = caption ?? (typeof title === 'string' ? title : title?.text);
  const text = words === undefined ? 'A figure' : `Figure: ${words.replace(/<[^>]*>/g, '')}`;
  if (!isStatic()) return inKernel() ? { [PLOTLY]: encodeFigure(figure) } : { 'text/plain': text };
  const png = await renderFigure(figure, 'png');
  if (name !== undefined) {
    if (!/^[\w.-]+$/.test(name))
      throw new Error(`plot: name is "${name}"; allowed are letters, digits, ".", "_" and "-"`);
    const folder = process.env['LYREO_FIGURES'] ?? resolve(__dirname, '..', '..', 'figures');
    makeFolder(folder);
    writeFileAtomic(join(folder, `${name}.png`), png);
    writeFileAtomic(join(folder, `${name}.svg`), await renderFigure(figure, 'svg'));
  }
  return { [PLOTLY]: encodeFigure(figure), 'image/png': png.toString('base64'), 'text/plain': text };
}
