// Builds the console into dist/pages, which the service reads when it starts.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

const REDOC = dirname(createRequire(import.meta.url).resolve('redoc/package.json'));
const LICENSES = ['LICENSE', 'bundles/redoc.standalone.js.LICENSE.txt'];

/**
 * Adds the licences to Redoc's bundle and removes the logo, which the browser would load from another host.
 * An empty image takes its place and is hidden.
 */
const redoc: Plugin = {
  name: 'redoc',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'asset' || !file.fileName.includes('redoc.standalone')) continue;
      const text = Buffer.from(file.source).toString();
      if (!text.includes(LOGO)) throw new Error("Redoc's logo has another address: see vite.config.ts");
      file.source = text.replace(LOGO, 'data:,');
    }
    const source = LICENSES.map((name) => readFileSync(join(REDOC, name), 'utf8')).join('\n');
    this.emitFile({ type: 'asset', fileName: 'assets/redoc-licenses.md', source });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [redoc],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    rolldownOptions: { input: ['index.html', 'docs.html'].map((page) => `${import.meta.dirname}/${page}`) },
    outDir: '../dist/pages',
    emptyOutDir: true,
    target: 'es2022',
    // Keeps fonts and icons as files, because the content security policy allows data: addresses only for
    // images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'assets/licenses.md' },
  },
});
