// onnxruntime-node brings libraries for every system; a machine runs those of one. npm leaves nothing of a package out,
// but says nothing of files that go later.
import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { announce, root } from './run.mjs';

/**
 * Deletes what other systems than `platform` and `arch` would load, and says how much that was. If telltale is a
 * dependency, the package may be a sibling that the program beside it asks for, too: then it stays whole.
 */
export function removeForeignBinaries({
  folder = root,
  platform = process.platform,
  arch = process.arch,
} = {}) {
  const packages = [join(folder, 'node_modules/onnxruntime-node')];
  const parent = dirname(folder);
  if (basename(parent) === 'node_modules' && !isAskedFor(dirname(parent)))
    packages.push(join(parent, 'onnxruntime-node'));
  const foreign = packages
    .flatMap((path) => below(join(path, 'bin')))
    .flatMap(below)
    .flatMap((system) => (basename(system) === platform ? below(system) : [system]))
    .filter((path) => basename(path) !== arch || basename(dirname(path)) !== platform);
  const bytes = foreign.reduce((sum, path) => sum + sizeOf(path), 0);
  for (const path of foreign) rmSync(path, { recursive: true });
  if (bytes > 0) announce(`removed ${Math.round(bytes / 1e6)} MB of ONNX Runtime for other systems`);
}

/** Whether the program whose node_modules lie in `folder` depends on onnxruntime-node by itself. */
function isAskedFor(folder) {
  try {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    return 'onnxruntime-node' in { ...dependencies, ...devDependencies, ...optionalDependencies };
  } catch {
    return false;
  }
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
