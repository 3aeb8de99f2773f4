// Paths of the files that the package ships, and its version.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of package.json: the parent of base/ or, for compiled files, of dist/. */
const PACKAGE = ['../', '../../']
  .map((path) => new URL(path, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder))) as URL;

/** Folder that contains models/, trust/ and prebuilds/: the package or, in a checkout, the repository. */
export const SHIPPED = existsSync(new URL('models/', PACKAGE)) ? PACKAGE : new URL('../../', PACKAGE);

/** Folder of the models: bands.json (their thresholds) and a folder for each model. */
export const PACKAGE_MODELS_DIR = fileURLToPath(new URL('models', SHIPPED));

/** Folder of the package's trust lists (certificates of trusted signers). lists.json has their date. */
export const PACKAGE_TRUST_DIR = fileURLToPath(new URL('trust', SHIPPED));

/** Returns the fields of package.json that the code uses. */
export function readPackage(): { readonly version: string; readonly engines: { readonly node: string } } {
  const text = readFileSync(new URL('package.json', PACKAGE), 'utf8');
  return JSON.parse(text) as ReturnType<typeof readPackage>;
}

export function readVersion(): string {
  return readPackage().version;
}
