// onnxruntime-node brings libraries for every system; a machine runs those of one. npm leaves nothing of a package out,
// but says nothing of files that go later.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { announce, root } from './run.mjs';

/** Where the package lies in a checkout, and where telltale is a dependency that is built from source. */
const PACKAGES = ['node_modules/onnxruntime-node', 'native/node_modules/onnxruntime-node'];

/** Deletes what other systems than `platform` and `arch` would load, and says how much that was. */
export function removeForeignBinaries({
  folder = root,
  platform = process.platform,
  arch = process.arch,
} = {}) {
  const foreign = PACKAGES.flatMap((path) => below(join(folder, path, 'bin')))
    .flatMap(below)
    .flatMap((system) => (basename(system) === platform ? below(system) : [system]))
    .filter((path) => basename(path) !== arch || basename(dirname(path)) !== platform);
  const bytes = foreign.reduce((sum, path) => sum + sizeOf(path), 0);
  for (const path of foreign) rmSync(path, { recursive: true });
  if (bytes > 0) announce(`removed ${Math.round(bytes / 1e6)} MB of ONNX Runtime for other systems`);
}

/** The paths of what a folder holds; none if there is no such folder. */
function below(folder) {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function sizeOf(path) {
  const stat = statSync(path);
  return stat.isDirectory() ? below(path).reduce((sum, each) => sum + sizeOf(each), 0) : stat.size;
}
