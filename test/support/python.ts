// Python with the packages of the Python client, and the client itself.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ROOT } from './telltale.js';

/** Returns the interpreter of the environment made by the set-up. */
export function pythonPath(): string {
  const path = join(ROOT, '.setup/python/bin/python');
  if (!existsSync(path)) throw new Error(`${path} is missing: 'npm test' makes it`);
  return path;
}

/** Returns the environment of a program that imports the client without leaving files next to its sources. */
export function pythonEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const paths = [join(ROOT, 'client-python'), process.env.PYTHONPATH].filter(Boolean);
  return { ...process.env, PYTHONPATH: paths.join(delimiter), PYTHONDONTWRITEBYTECODE: '1', ...more };
}
