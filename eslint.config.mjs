import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: ['dist*/', 'site*/', '.cache/', '.venv/', '.jupyter/', 'coverage/', 'runs/', 'notebooks/'],
  },
  js.configs.recommended,
  {
    files: ['{src,tests}/**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }], // leaving fields out of a record
      '@typescript-eslint/no-non-null-assertion': 'off', // typed arrays in hot loops
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of strings.' },
        { selector: 'ExportDefaultDeclaration', message: 'Export by name.' },
      ],
    },
  },
  {
    files: ['scripts/**', '*.config.*'],
    languageOptions: { globals: nodeGlobals() },
  },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs' } },
);

function nodeGlobals() {
  const names = ['process', 'console', 'require', 'module', 'Buffer', 'URL', 'globalThis', 'fetch'];
  const timers = ['setTimeout', 'setInterval', 'setImmediate'];
  const clears = ['clearTimeout', 'clearInterval', 'clearImmediate'];
  const others = ['AbortController', 'performance', '__dirname', 'SharedArrayBuffer', 'Atomics'];
  const all = [...names, ...timers, ...clears, ...others, 'document', 'window'];
  return Object.fromEntries(all.map((name) => [name, 'readonly']));
}
