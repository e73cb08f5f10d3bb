/**
 * npm run bench: compiles tests/bench/ file by file into .cache/bench/, against the built package in dist/, and runs it.
 * Types are checked by `npm run typecheck`.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import typescript from 'typescript';
import { cache, inRoot } from './common.mjs';

const compilerOptions = { module: typescript.ModuleKind.CommonJS, target: typescript.ScriptTarget.ES2022 };
mkdirSync(cache('bench'), { recursive: true });
for (const name of readdirSync(inRoot('tests', 'bench')).filter((file) => /^[^.]+\.ts$/.test(file))) {
  const source = readFileSync(inRoot('tests', 'bench', name), 'utf8');
  const { outputText } = typescript.transpileModule(source, { compilerOptions, fileName: name });
  // Both folders lie two levels below the root, so that src/ and dist/ are at the same distance.
  writeFileSync(
    cache('bench', name.replace('.ts', '.js')),
    outputText.replaceAll('"../../src/', '"../../dist/').replaceAll("'../../src/", "'../../dist/"),
  );
}
createRequire(import.meta.url)(join(cache('bench'), 'main.js'));
