// The name under which the history shows an image: its file name, or the host and last path segment of its URL.
import { quoteName } from 'telltale-engine/internal/check/verdict/quoted-name.js';

/** Maximum number of characters in a name. */
const MAX_CHARACTERS = 200;

/** Returns the name of a file without its folders, on one line; null if nothing is left. */
export function nameOfFile(fileName: string): string | null {
  const last =
    fileName
      .slice(-4 * MAX_CHARACTERS)
      .split(/[/\\]/)
      .at(-1) ?? '';
  return quoteName(last, MAX_CHARACTERS) || null;
}

/**
 * Returns a short form of a URL, such as `news.example/portrait.jpg`. The query and the user name are left out because
 * they may contain secrets. `url` must be valid.
 */
export function nameOfAddress(url: string): string {
  const { host, pathname } = new URL(url);
  const last =
    pathname
      .split('/')
      .filter((part) => part !== '')
      .at(-1) ?? '';
  return quoteName(last === '' ? host : `${host}/${decode(last)}`, MAX_CHARACTERS);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
