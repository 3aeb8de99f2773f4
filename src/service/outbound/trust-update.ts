// Fetches the official trust lists, checks them and puts them in place; what was there stays until then.
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from 'telltale-engine/internal/base/make-folder.js';
import {
  parseAnchors,
  SIGNER_LIST,
  TIME_STAMP_LIST,
} from 'telltale-engine/internal/check/credentials/trust.js';

/**
 * Where the C2PA conformance programme publishes both lists.
 * Source: https://github.com/c2pa-org/conformance-public, folder trust-list.
 */
export const OFFICIAL_SOURCE =
  'https://raw.githubusercontent.com/c2pa-org/conformance-public/main/trust-list/';

/** What became of one list. */
export type ListUpdate =
  | { readonly name: string; readonly url: string; readonly anchors: number }
  | { readonly name: string; readonly url: string; readonly fault: string };

/** Chosen: a list is under 40 kB, and a slow link still brings it. */
const FETCH_TIMEOUT_MS = 30_000;
/** Chosen: fifty times a list of 2026. More is not a trust list. */
const MAX_LIST_CHARACTERS = 2_000_000;

/**
 * Fetches both lists from `source`, an address that ends in a slash, into `dir`, which is made if it is missing. A
 * list is replaced in one step, and only by one whose every block is a certificate; else the one in place stays.
 * Never rejects for a list: the answer says what failed. Rejects with the file system's error if `dir` can't be
 * written.
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
  const text = await fetchText(url, signal).catch((cause: unknown) => ({ fault: explain(cause) }));
  if (typeof text !== 'string') return { name, url, ...text };
  const { anchors, unreadable } = parseAnchors(text);
  if (anchors.length === 0) return { name, url, fault: 'what came holds no certificate' };
  if (unreadable > 0) return { name, url, fault: `${unreadable} of its certificates can not be parsed` };
  await replaceFile(join(dir, name), text);
  return { name, url, anchors: anchors.length };
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  // A timer of its own: Node 20 forgets a signal of AbortSignal.timeout that AbortSignal.any alone knows of.
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`no answer within ${FETCH_TIMEOUT_MS / 1000} s`)),
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
    throw new Error(`the server answers with status ${response.status}`);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > MAX_LIST_CHARACTERS) throw new Error(`it is over ${MAX_LIST_CHARACTERS} characters`);
  }
  return text;
}

/** Written beside it and renamed, so that a reader sees the old list or the new one, and a crash leaves one of them. */
async function replaceFile(path: string, text: string): Promise<void> {
  const fresh = `${path}.${process.pid}.new`;
  try {
    const file = await open(fresh, 'w');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** fetch hides the reason, such as ENOTFOUND without a network, in the cause. */
function explain(error: unknown): string {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause === undefined ? message : `no connection (${cause.code ?? cause.message})`;
}
