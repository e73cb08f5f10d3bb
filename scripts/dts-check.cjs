/**
 * The kernel reads the library's types with its own, older TypeScript and takes a type that it cannot read
 * for `any`, in silence. This reads dist/index.d.ts with that very compiler and is not silent.
 */
'use strict';
const path = require('path');
const ts = require('@tslab/typescript-for-tslab');

const program = ts.createProgram(
  ['index', 'studies/index'].map((name) => path.resolve(__dirname, '../dist', `${name}.d.ts`)),
  {
    skipLibCheck: false,
    noEmit: true,
    strict: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Node10,
    esModuleInterop: true,
    types: ['node'],
  },
);
const found = ts
  .getPreEmitDiagnostics(program)
  .filter(({ file }) => !file?.fileName.includes('/node_modules/'))
  // A missing dist/index.d.ts has no file, faults of @types/node under this compiler do.
  .filter(({ file, category }) => file || category === ts.DiagnosticCategory.Error);
for (const { file, start, messageText } of found) {
  const where = file ? `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: ` : '';
  console.log(where + ts.flattenDiagnosticMessageText(messageText, '\n'));
}
process.exit(found.length > 0 ? 1 : 0);
