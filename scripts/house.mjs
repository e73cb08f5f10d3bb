/**
 * npm run house: the size and the order of the house, as one table each: lines per folder, files above the limit,
 * public names and where they are used, imports that point the wrong way. Exit code 1 when the order is broken.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { inRoot, root } from './common.mjs';

/** Folders of src in the order of the data; an import points to the left. */
const ORDER = ['core', 'system', 'env', 'schedulers', 'nn', 'lyreo', 'paper', 'studies', 'plots', 'notebook', 'cli'];
const LIBRARY = ORDER.slice(0, ORDER.indexOf('lyreo') + 1);
const LONGEST = 300;
const LIMITS = { src: 12_000, library: 6_800, names: 150 };

const text = (path) => readFileSync(join(root, path), 'utf8');
const lines = (content) => content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
const files = (folder, pattern) =>
  readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name) && !/(^|\/)(\.|e2e-|node_modules\/)/.test(name))
    .map((name) => join(folder, name))
    .sort();

const sources = files('src', /\.ts$/).filter((path) => !path.endsWith('.test.ts'));
const folderOf = (path) => (path.split('/').length > 2 ? path.split('/')[1] : 'src');
const codeCells = files('notebooks', /\.ipynb$/).map((path) => ({
  path,
  code: JSON.parse(text(path))
    .cells.filter((cell) => cell.cell_type === 'code')
    .map((cell) => [cell.source].flat().join(''))
    .join('\n'),
}));

function sizes() {
  const count = new Map([...ORDER, 'src'].map((name) => [name, { files: 0, lines: 0 }]));
  for (const path of sources) {
    const row = count.get(folderOf(path)) ?? { files: 0, lines: 0 };
    count.set(folderOf(path), { files: row.files + 1, lines: row.lines + lines(text(path)) });
  }
  const total = (names) => names.reduce((sum, name) => sum + (count.get(name)?.lines ?? 0), 0);
  const all = total([...count.keys()]);
  for (const [name, row] of count)
    console.log(`${`src/${name === 'src' ? '*.ts' : name}`.padEnd(24)}${row.files} files, ${row.lines} lines`);
  console.log(`${'library floor'.padEnd(24)}${total(LIBRARY)} lines (aim ${LIMITS.library})`);
  console.log(`${'src without tests'.padEnd(24)}${all} lines (aim ${LIMITS.src})`);
  const others = {
    'tests (src, tests/)': [...files('src', /\.test\.ts$/), ...files('tests', /\.ts$/)],
    scripts: files('scripts', /\.(mjs|cjs|js|py|sh|css)$/),
    'data that is code': files('data', /^[^/]+\.json$/),
  };
  for (const [name, paths] of Object.entries(others))
    console.log(
      `${name.padEnd(24)}${paths.length} files, ${paths.reduce((sum, path) => sum + lines(text(path)), 0)} lines`,
    );
  const cells = codeCells.reduce((sum, { code }) => sum + lines(code), 0);
  console.log(`${'code cells of notebooks'.padEnd(24)}${codeCells.length} notebooks, ${cells} lines`);
}

function longest() {
  const long = sources.map((path) => ({ path, n: lines(text(path)) })).sort((a, b) => b.n - a.n);
  console.log(`\nLargest files (limit ${LONGEST}):`);
  for (const { path, n } of long.slice(0, 8)) console.log(`${String(n).padStart(6)}  ${path}`);
  return long.filter(({ n }) => n > LONGEST).length;
}

/** Names that src/index.ts exports, without types; a use is a word in a notebook's code, the README or docs/. */
function names() {
  const index = text('src/index.ts').replace(/\/\/.*/g, '');
  const exported = [...index.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, isType, list]) =>
    list
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
      .map((name) => ({ name: name.replace(/^type /, ''), isType: Boolean(isType) || name.startsWith('type ') })),
  );
  const readers = [...codeCells.map(({ code }) => code), text('README.md'), ...files('docs', /\.md$/).map(text)].join(
    '\n',
  );
  const used = ({ name }) => new RegExp(`\\b${name}\\b`).test(readers);
  const types = exported.filter(({ isType }) => isType);
  const unused = exported.filter((entry) => !entry.isType && !used(entry)).map(({ name }) => name);
  console.log(`\nPublic names: ${exported.length} (aim ${LIMITS.names}), ${types.length} of them types`);
  console.log(`Values that no notebook and no README uses: ${unused.length === 0 ? 'none' : unused.join(', ')}`);
}

function wrongImports() {
  const wrong = sources.flatMap((path) =>
    [...text(path).matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)]
      .map(([, fixed, lazy]) => normalize(join(dirname(path), fixed ?? lazy)))
      .filter((target) => ORDER.indexOf(folderOf(target)) > ORDER.indexOf(folderOf(path)) && folderOf(path) !== 'src')
      .map((target) => `${path} imports ${relative('src', target)}`),
  );
  console.log(`\nImports that point the wrong way: ${wrong.length}`);
  for (const line of wrong) console.log(`  ${line}`);
  return wrong.length;
}

sizes();
const tooLong = longest();
names();
process.exitCode = wrongImports() > 0 || tooLong > 0 ? 1 : 0;
