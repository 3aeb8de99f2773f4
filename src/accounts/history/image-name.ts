// What the history calls an image: the name of its file, or host and last part of its address; never a path or a query.
import { quoteName } from 'telltale-engine/internal/check/verdict/quoted-name.js';

/** Characters of a name. */
const MAX_CHARACTERS = 200;

/** The name of a file without its folders, on one line; null where nothing is left of it. */
export function nameOfFile(fileName: string): string | null {
  const last =
    fileName
      .slice(-4 * MAX_CHARACTERS)
      .split(/[/\\]/)
      .at(-1) ?? '';
  return quoteName(last, MAX_CHARACTERS) || null;
}

/** Such as `news.example/portrait.jpg`: neither query nor credentials, which may be secrets. `url` is a valid address. */
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
