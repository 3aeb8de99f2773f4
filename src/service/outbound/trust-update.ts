// Downloads the official C2PA trust lists, validates them, and then replaces the installed ones.
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from 'telltale-engine/internal/base/files.js';
import {
  parseAnchors,
  SIGNER_LIST,
  TIME_STAMP_LIST,
} from 'telltale-engine/internal/check/credentials/trust.js';

/**
 * Address of both lists of the C2PA conformance programme. Source: https://github.com/c2pa-org/conformance-public,
 * folder trust-list.
 */
export const OFFICIAL_SOURCE =
  'https://raw.githubusercontent.com/c2pa-org/conformance-public/main/trust-list/';

/** Result of updating one list: its number of certificates, or the error. */
export type ListUpdate =
  | { readonly name: string; readonly url: string; readonly anchors: number }
  | { readonly name: string; readonly url: string; readonly fault: string };

/** Time limit of a download. Enough even for a slow link, because a list has less than 40 kB. */
const FETCH_TIMEOUT_MS = 30_000;
/** Maximum characters of a list. Fifty times the size of a list in 2026. */
const MAX_LIST_CHARACTERS = 2_000_000;

/**
 * Downloads both lists from `source`, an address ending in a slash, into the folder `dir`, which is created
 * if missing. Replaces a list atomically, and only if every entry is a certificate. Returns errors of a list
 * in the result. Rejects with the file system's error if `dir` is not writable.
 */
export async function updateTrustLists(
  dir: string,
  source: string,
  signal: AbortSignal,
): Promise<readonly ListUpdate[]> {
  await makeFolder(dir);
  return Promise.all([SIGNER_LIST, TIME_STAMP_LIST].map((name) => updateList(dir, name, source, signal)));
}

async function updateList(
  dir: string,
  name: string,
  source: string,
  signal: AbortSignal,
): Promise<ListUpdate> {
  const url = new URL(name, source).href;
  const text = await fetchText(url, signal).catch((cause: unknown) => ({ fault: explainFetchError(cause) }));
  if (typeof text !== 'string') return { name, url, ...text };
  const { anchors, unreadable } = parseAnchors(text);
  if (anchors.length === 0) return { name, url, fault: 'the response contains no certificate' };
  if (unreadable > 0) return { name, url, fault: `${unreadable} of its certificates can't be parsed` };
  await replaceFile(join(dir, name), text);
  return { name, url, anchors: anchors.length };
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  // Not AbortSignal.timeout: Node 20 drops that signal if only AbortSignal.any references it.
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`no response within ${FETCH_TIMEOUT_MS / 1000} s`)),
    FETCH_TIMEOUT_MS,
  );
  try {
    return await receiveText(url, AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

async function receiveText(url: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null)
    throw new Error(`the server responded with status ${response.status}`);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > MAX_LIST_CHARACTERS) throw new Error(`it is over ${MAX_LIST_CHARACTERS} characters`);
  }
  return text;
}

/** Writes a temporary file and renames it, so that readers and crashes see either the old or the new list. */
async function replaceFile(path: string, text: string): Promise<void> {
  const newFile = `${path}.${process.pid}.new`;
  try {
    const file = await open(newFile, 'w');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(newFile, path);
  } finally {
    await rm(newFile, { force: true });
  }
}

/** Returns the reason, such as ENOTFOUND without a network. `fetch` hides the reason in `cause`. */
function explainFetchError(error: unknown): string {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause === undefined ? message : `no connection (${cause.code ?? cause.message})`;
}
