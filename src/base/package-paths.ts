// Where the package keeps what it ships; the same from src/ and from dist/.
import { fileURLToPath } from 'node:url';

/** Folder with one folder a model, and bands.json. */
export const PACKAGE_MODELS_DIR = fileURLToPath(new URL('../../models', import.meta.url));

/** Folder with the trust lists of the day that its lists.json names. */
export const PACKAGE_TRUST_DIR = fileURLToPath(new URL('../../trust', import.meta.url));

/** Folder with the console's built pages. */
export const PACKAGE_CONSOLE_DIR = fileURLToPath(new URL('../../dist/pages', import.meta.url));
