// Finds the Python with the packages that the Python client needs.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './telltale.js';

/** Returns the path of Python in the environment that the set-up made. */
export function pythonPath(): string {
  const path = join(ROOT, '.setup/python/bin/python');
  if (!existsSync(path)) throw new Error(`${path} is missing: 'npm test' makes it`);
  return path;
}

/**
 * Returns environment variables for a program that imports the client. No files are written next to the
 * client's sources.
 */
export function pythonEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const paths = [join(ROOT, 'client-python'), process.env.PYTHONPATH].filter(Boolean);
  return { ...process.env, PYTHONPATH: paths.join(delimiter), PYTHONDONTWRITEBYTECODE: '1', ...more };
}
