// Folders of the project.
import { basename, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** A value as it may be kept in results: of an absolute path, which names a folder of this machine, the last part alone. */
export function withoutFolder<T>(value: T): T | string {
  return typeof value === 'string' && isAbsolute(value) ? basename(value) : value;
}
