// The package's version, read from package.json so that it is written in one place.
import { readFileSync } from 'node:fs';

/** As package.json has it. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
