// Makes the package telltale-engine: src/library with the networks, trust lists and engine from the root of
// the checkout.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { announce, root, run } from './run.mjs';

const LIBRARY = join(root, 'src/library');

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * Copies the files of the package to `folder`, which is emptied first. The library's package.json lists them
 * in `files`; they are in the library or in the root of the checkout. If prebuilds/ is missing, installing
 * the copy builds the engine.
 */
export function stageLibrary(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { private: _, ...manifest } = readManifest(LIBRARY);
  const { scripts, binary } = readManifest(root);
  const left = manifest.files.filter((path) => path.startsWith('!')).map((path) => path.slice(1));
  for (const path of [...manifest.files, 'README.md', 'LICENSE']) {
    const source = [LIBRARY, root].map((from) => join(from, path)).find((from) => existsSync(from));
    if (!source) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(source, join(folder, path), {
      recursive: true,
      filter: (from) => !left.some((each) => from === join(root, each)),
    });
  }
  const published = {
    ...manifest,
    // Prevents npm from running node-gyp, which it does if a package has binding.gyp but no install script.
    gypfile: false,
    binary,
    scripts: { preinstall: scripts.preinstall, install: scripts.install },
    // A build from source installs the packages of native/ in this package's own folder.
    workspaces: ['native'],
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/** Packs the library. Writes it to the folder to which npm writes the package that it is packing. */
export async function packLibrary() {
  const step = announce('packing telltale-engine');
  const folder = join(root, '.setup/telltale-engine');
  stageLibrary(folder);
  await run('npm', ['pack', folder, '--ignore-scripts', '--loglevel=error'], { step });
  rmSync(folder, { recursive: true });
}
