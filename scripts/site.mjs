/**
 * npm run site: the notebooks as web pages with an index, in site/. They open from the folder, without a server and
 * without a network. The new pages take the place of the old when all of them are made.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import katex from 'katex';
import { SetupError, collect, inRoot, jupyterEnv, main, venvPython } from './common.mjs';
import { setup } from './setup.mjs';

const require = createRequire(import.meta.url);

main(async () => {
  await setup();
  const site = inRoot('site');
  const half = inRoot('site.part');
  rmSync(half, { recursive: true, force: true });
  const pages = exportNotebooks(half);
  copyAssets(half);
  for (const page of pages) {
    const html = page.name === 'index' ? indexPage(page, pages) : notebookPage(page, pages);
    writeFileSync(join(half, `${page.name}.html`), html);
  }
  const old = inRoot('site.old');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(site)) renameSync(site, old);
  renameSync(half, site);
  rmSync(old, { recursive: true, force: true });
  console.log(`${pages.length} notebooks as pages: open site/index.html`);
});

/** The notebooks as { name, title, body, image }; their pictures and styles of code are written to `folder`. */
function exportNotebooks(folder) {
  const { code, output } = collect(venvPython, [inRoot('scripts', 'site.py'), folder], { env: jupyterEnv() });
  if (code !== 0) throw new SetupError(`The notebooks cannot be exported:\n${output}`);
  const list = join(folder, 'pages.json');
  const pages = JSON.parse(readFileSync(list, 'utf8'));
  rmSync(list);
  return pages;
}

/** Styles, the fonts of formulas, and Plotly, which a page loads when a figure is asked for. */
function copyAssets(site) {
  const katexFolder = inRoot('node_modules', 'katex', 'dist');
  mkdirSync(join(site, 'fonts'));
  for (const name of readdirSync(join(katexFolder, 'fonts')).filter((file) => file.endsWith('.woff2')))
    copyFileSync(join(katexFolder, 'fonts', name), join(site, 'fonts', name));
  copyFileSync(join(katexFolder, 'katex.min.css'), join(site, 'katex.css'));
  copyFileSync(require.resolve('plotly.js/plotly.min.js'), join(site, 'plotly.js'));
  for (const name of ['site.css', 'site-page.js']) copyFileSync(inRoot('scripts', name), join(site, name));
}

// --- Pages -------------------------------------------------------------------------------------

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const unescape = (text) =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#x27;/g, "'")
    .replace(/&amp;/g, '&');

const shell = (title, content) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="katex.css">
<link rel="stylesheet" href="code.css">
<link rel="stylesheet" href="site.css">
<script src="site-page.js" defer></script>
</head>
<body>
${content}
</body>
</html>
`;

function notebookPage({ title, body }, pages) {
  const toggle = '<label><input type="checkbox" id="code"> all code</label>';
  const bar = `<nav><a href="index.html">all notebooks</a>${toggle}</nav>`;
  return shell(title, `${bar}\n${contents(body)}\n<main>\n${readable(body, pages)}\n</main>`);
}

/** A notebook's body with formulas, links to the other pages, code folded, and the numbers behind each picture. */
function readable(body, pages) {
  return withLinks(withFormulas(body), pages)
    .replace(/<div class="highlight hl-typescript">.*?<\/pre><\/div>/gs, '<details><summary>code</summary>$&</details>')
    .replace(
      /<img [^>]*src="(images\/[^"]+)\.png"[^>]*>/g,
      '$&\n<p class="numbers"><a href="$1.csv" download>the numbers as CSV</a></p>',
    );
}

/** The headings of a page as links. */
function contents(body) {
  const headings = [...body.matchAll(/<h([23]) id="([^"]+)">(.*?)<a class="anchor-link"/g)];
  const items = headings.map(([, level, id, text]) => `<li class="level${level}"><a href="#${id}">${text}</a></li>`);
  return `<details class="contents" open><summary>on this page</summary><ul>${items.join('\n')}</ul></details>`;
}

/** Formulas as HTML and, for screen readers, MathML. */
function withFormulas(body) {
  return body.replace(/<span class="tex( display)?">([^<]*)<\/span>/g, (_, display, tex) =>
    katex.renderToString(unescape(tex), { displayMode: display !== undefined, throwOnError: true }),
  );
}

/** A notebook's link becomes its page's. */
function withLinks(body, pages) {
  const names = new Set(pages.map(({ name }) => name));
  return body.replace(/href="([\w-]+)\.ipynb(#[^"]*)?"/g, (link, name, hash = '') =>
    names.has(name) ? `href="${name}.html${hash}"` : link,
  );
}

/** The start page: index.ipynb, and the upper left of each notebook's first picture in its own size. */
function indexPage(page, pages) {
  const cards = pages
    .filter(({ name, image }) => name !== 'index' && image)
    .map(
      ({ name, title, image }) =>
        `<a class="card" href="${name}.html"><span>${escape(title)}</span><img src="${image}" alt="" loading="lazy"></a>`,
    );
  const gallery = `<h2 id="pictures">Pictures<a class="anchor-link" href="#pictures">¶</a></h2>\n<div class="gallery">\n${cards.join('\n')}\n</div>`;
  return shell(
    page.title,
    `${contents(page.body + gallery)}\n<main>\n${readable(page.body, pages)}\n${gallery}\n</main>`,
  );
}
