// Lint rules: typescript-eslint's strictest type-aware set, and this project's own borders.
import markdown from '@eslint/markdown';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { inDocuments, inTexts, wording } from './eslint.terms.js';

/** Only src/config.ts reads the environment, so that every setting is documented, validated and listed in one place. */
const environmentBorder = {
  'no-restricted-properties': [
    'error',
    { object: 'process', property: 'env', message: 'Settings come from loadConfig() in src/config.ts.' },
  ],
};

/** What is private is so at run time, too. A constructor can't be: there the word of TypeScript stays. */
const onePrivate = {
  selector:
    ":matches(PropertyDefinition, MethodDefinition[kind!='constructor'], TSParameterProperty)[accessibility='private']",
  message: 'Write #name: it is private at run time, too.',
};

/** All but documents. */
const TYPED = ['**/*.{ts,tsx,mts,mjs,cjs}'];

export default defineConfig(
  {
    ignores: [
      '**/dist/',
      'build*/',
      'node_modules/',
      'data/',
      '.setup/',
      'scripts/',
      'test/**/*.mjs',
      'deploy/image/',
      '*.js',
      'bench/.*/',
      'bench/baselines/python/',
      'client/dist/',
      'client/src/openapi.ts',
    ],
  },
  {
    files: ['**/*.md'],
    // Results keep the names that were valid when they were measured.
    ignores: ['bench/results/**'],
    plugins: { markdown },
    language: 'markdown/gfm',
    rules: { 'no-restricted-syntax': ['error', ...inDocuments] },
  },
  { files: TYPED, extends: tseslint.configs.strictTypeChecked },
  {
    files: TYPED,
    plugins: { wording },
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: ['examples/*/*.mjs'],
          defaultProject: 'tsconfig.json',
        },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: 'error',
      'wording/plain-comments': 'error',
      'no-restricted-syntax': ['error', onePrivate],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Code points are what names are cut by; whole emoji are not worth a dictionary.
      '@typescript-eslint/no-misused-spread': 'off',
      // Numbers in messages are what messages are for.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Aborted work rejects with the signal's reason, whatever its caller chose that to be.
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'client/src/**/*.ts', 'console/src/**/*.{ts,tsx}', 'bench/**/*.ts'],
    // Tables, one row after the other.
    ignores: ['src/service/console/router.ts', 'src/storage/db/migrations/*.ts', 'client/src/openapi.ts'],
    rules: { 'max-lines-per-function': ['error', { max: 60, IIFEs: true }] },
  },
  { files: ['src/**/*.ts'], ignores: ['src/config.ts'], rules: environmentBorder },
  {
    files: ['src/**/*.ts', 'client/src/**/*.ts', 'console/src/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', onePrivate, ...inTexts] },
  },
  {
    files: ['test/**/*.ts', 'examples/**/*.{ts,mts,mjs}', 'bench/**/*.ts', 'eval/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      // mocha's describe and it return promises to nobody; assertions on what must be there are the test.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['describe', 'it', 'before', 'after'], package: 'mocha' },
          ],
        },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  // The pages take their types from what the routes return.
  {
    files: [
      'src/service/console/present.ts',
      'src/service/console/routes/*.ts',
      'src/service/webhooks/deliveries.ts',
      'src/service/webhooks/endpoints.ts',
    ],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  // Plain JavaScript for people to copy: it has no types to check.
  { files: ['examples/**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);
