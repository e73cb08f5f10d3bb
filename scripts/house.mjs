/**
 * npm run house: the size and the order of the house: lines per folder, files above the limit, public names and where
 * they are used, imports that point the wrong way. Exit code 1 when the order is broken.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { inRoot, root } from './common.mjs';

/** Folders of src in the order of the data; an import points to the left. */
const ORDER = ['core', 'system', 'env', 'schedulers', 'nn', 'lyreo', 'paper', 'studies', 'plots', 'notebook', 'cli'];
const LIMITS = { file: 300, src: 12_000, library: 6_800, names: 150 };

const text = (path) => readFileSync(join(root, path), 'utf8');
const lines = (path) => text(path).split('\n').length - 1;
/** Lines that are neither blank nor part of a comment. */
const codeLines = (path) =>
  text(path)
    .split('\n')
    .filter((line) => !/^\s*($|\/\/|\/\*|\*)/.test(line)).length;
const sum = (paths, count = lines) => paths.reduce((all, path) => all + count(path), 0);
const files = (folder, pattern) =>
  readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name) && !/(^|\/)(\.|e2e-|node_modules\/)/.test(name))
    .map((name) => join(folder, name));
const sources = files('src', /\.ts$/).filter((path) => !path.endsWith('.test.ts'));
const folderOf = (path) => (path.split('/').length > 2 ? path.split('/')[1] : 'src');
const cells = files('notebooks', /\.ipynb$/).flatMap((path) => JSON.parse(text(path)).cells);
const code = cells.filter(({ cell_type }) => cell_type === 'code').map(({ source }) => [source].flat().join(''));

function sizes() {
  const row = (name, paths) =>
    console.log(`${name.padEnd(24)}${paths.length} files, ${sum(paths)} lines, ${sum(paths, codeLines)} of them code`);
  const within = (...folders) => sources.filter((path) => folders.includes(folderOf(path)));
  for (const name of ORDER) row(`src/${name}`, within(name));
  row(`library (aim ${LIMITS.library})`, within(...ORDER.slice(0, ORDER.indexOf('lyreo') + 1)));
  row(`src (aim ${LIMITS.src})`, sources);
  row('tests (src, tests/)', [...files('src', /\.test\.ts$/), ...files('tests', /\.ts$/)]);
  row('scripts', files('scripts', /\.(mjs|cjs|js|py|sh|css)$/));
  row('data that is code', files('data', /^[^/]+\.json$/));
  console.log(`notebooks               ${code.length} code cells, ${code.join('\n').split('\n').length} lines`);
  const long = sources.filter((path) => lines(path) > LIMITS.file);
  console.log(`\nFiles of more than ${LIMITS.file} lines: ${long.join(', ') || 'none'}`);
  return long.length;
}

/** Names that src/index.ts exports, without types; a use is a word in a notebook's code, the README or docs/. */
function names() {
  const lists = [...text('src/index.ts').matchAll(/export \{([^}]*)/g)];
  const exported = lists.flatMap(([, list]) => list.split(',').map((name) => name.trim())).filter(Boolean);
  const readers = [...code, text('README.md'), ...files('docs', /\.md$/).map(text)].join('\n');
  const unused = exported.filter((name) => !name.startsWith('type ') && !new RegExp(`\\b${name}\\b`).test(readers));
  const types = exported.filter((name) => name.startsWith('type '));
  console.log(`\nPublic names: ${exported.length} (aim ${LIMITS.names}), ${types.length} of them types`);
  console.log(`Values that no notebook and no README uses: ${unused.join(', ') || 'none'}`);
}

function wrongImports() {
  const rank = (path) => ORDER.indexOf(folderOf(path));
  const wrong = sources.flatMap((path) =>
    [...text(path).matchAll(/(?:from |import\()'(\.[^']+)'/g)]
      .map(([, target]) => normalize(join(dirname(path), target)))
      .filter((target) => rank(target) > rank(path) && folderOf(path) !== 'src')
      .map((target) => `\n  ${path} imports ${relative('src', target)}`),
  );
  console.log(`\nImports that point the wrong way: ${wrong.length}${wrong.join('')}`);
  return wrong.length;
}

const tooLong = sizes();
names();
process.exitCode = wrongImports() > 0 || tooLong > 0 ? 1 : 0;
