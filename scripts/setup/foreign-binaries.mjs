// Deletes libraries for other operating systems from onnxruntime-node, to save space. npm can't leave out
// parts of a package, but accepts that files are missing.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { announce, root } from './run.mjs';

/** Folders that may contain the package: in a checkout, and in a dependency that is built from source. */
const PACKAGES = ['node_modules/onnxruntime-node', 'native/node_modules/onnxruntime-node'];

/** Deletes libraries for other platforms than `platform` and other processors than `archs`, and prints their total size. */
export function removeForeignBinaries({
  folder = root,
  platform = process.platform,
  archs = [process.arch],
} = {}) {
  const foreign = PACKAGES.flatMap((path) => below(join(folder, path, 'bin')))
    .flatMap(below)
    .flatMap((system) => (basename(system) === platform ? below(system) : [system]))
    .filter((path) => !archs.includes(basename(path)) || basename(dirname(path)) !== platform);
  const bytes = foreign.reduce((sum, path) => sum + sizeOf(path), 0);
  for (const path of foreign) rmSync(path, { recursive: true });
  if (bytes > 0) announce(`removed ${Math.round(bytes / 1e6)} MB of ONNX Runtime for other systems`);
}

/** Returns the paths of all files below a folder; an empty list if the folder is missing. */
function below(folder) {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function sizeOf(path) {
  const stat = statSync(path);
  return stat.isDirectory() ? below(path).reduce((sum, each) => sum + sizeOf(each), 0) : stat.size;
}
