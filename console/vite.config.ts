// Builds the console into dist/pages, which the service reads when it starts.
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/pages',
    emptyOutDir: true,
    target: 'es2022',
    // The policy lets no data: address in but for pictures: fonts and icons stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'assets/licenses.md' },
  },
});
