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
const { name: project, description } = require('../package.json');

main(async () => {
  await setup();
  const site = inRoot('site');
  const half = inRoot('site.part');
  rmSync(half, { recursive: true, force: true });
  const pages = exportNotebooks(half);
  copyAssets(half);
  for (const page of pages) writeFileSync(join(half, `${page.name}.html`), notebookPage(page, pages));
  writeFileSync(join(half, 'index.html'), indexPage(pages));
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

function notebookPage({ name, title, body }, pages) {
  const at = pages.findIndex((page) => page.name === name);
  const step = (page, arrow) => (page ? `<a href="${page.name}.html">${arrow(escape(page.title))}</a>` : '');
  const steps = [
    '<a href="index.html">all notebooks</a>',
    step(pages[at - 1], (text) => `← ${text}`),
    step(pages[at + 1], (text) => `${text} →`),
  ];
  const bar = `<nav>${steps.filter(Boolean).join('')}`;
  const toggle = '<label><input type="checkbox" id="code" checked> code</label>';
  return shell(title, `${bar}${toggle}</nav>\n<main>\n${withLinks(withFormulas(body), pages)}\n</main>\n${bar}</nav>`);
}

/** Formulas as HTML and, for screen readers, MathML. */
function withFormulas(body) {
  return body.replace(/<span class="tex( display)?">([^<]*)<\/span>/g, (_, display, tex) =>
    katex.renderToString(unescape(tex), { displayMode: display !== undefined, throwOnError: true }),
  );
}

/** A notebook's link becomes its page's; other files lie beside the site as they do beside the notebooks. */
function withLinks(body, pages) {
  const names = new Set(pages.map(({ name }) => name));
  return body.replace(/href="(?![a-z]+:|#)([^"]+)"/g, (_, target) => {
    const [file, hash = ''] = target.split(/(?=#)/);
    const name = file.replace(/\.ipynb$/, '');
    if (file !== name && names.has(name)) return `href="${name}.html${hash}"`;
    return `href="${file.startsWith('../') ? target : `../notebooks/${target}`}"`;
  });
}

function indexPage(pages) {
  const questions = readQuestions();
  const rows = pages.map(({ name, title, image }) => {
    const { figure = '', question = '' } = questions.get(name) ?? {};
    const picture = image ? `<a href="${name}.html"><img src="${image}" alt="" loading="lazy"></a>` : '';
    const link = `<a href="${name}.html">${escape(capital(figure === '' ? title : title.replace(`${figure}: `, '')))}</a>`;
    return `<tr><td>${figure}</td><td>${link}</td><td>${escape(capital(question))}</td><td>${picture}</td></tr>`;
  });
  const head = '<tr><th>Figure</th><th>Notebook</th><th>What it shows</th><th></th></tr>';
  return shell(
    project,
    `<main class="index">
<h1>${project}</h1>
<p>${escape(description)}.</p>
<p>The paper's claims and settings against the stored runs: ${escape(scoreboardLine())}
(<a href="19-scoreboard.html">each with its rule</a>).</p>
<table>
${[head, ...rows].join('\n')}
</table>
<p>How to run them: <a href="../README.md">README.md</a>.</p>
</main>`,
  );
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Which figure each notebook is of and what it asks, as the table of notebooks/README.md says. */
function readQuestions() {
  const text = readFileSync(inRoot('notebooks', 'README.md'), 'utf8');
  const rows = text.matchAll(/^\| \[(.+?)\]\(.+?\) \| (?:((?:Fig\.|Table) \w+): )?(.+) \|$/gm);
  return new Map([...rows].map(([, name, figure, question]) => [name, { figure, question }]));
}

/** The scoreboard's summary of the long runs. */
function scoreboardLine() {
  const { scoreboard } = require('../dist/paper/scoreboard.js');
  const { Results } = require('../dist/paper/results.js');
  return scoreboard(Results.load('paper')).summary;
}
