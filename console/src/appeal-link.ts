// Requests of the page behind an appeal link. The token of the link replaces a session.
import type { Static } from '@sinclair/typebox';
import type { AppealList } from '../../src/service/http/openapi/appeal-schemas.js';
import { asSentence } from './format.js';

export type Appeals = Static<typeof AppealList>;

export interface Link {
  readonly id: string;
  readonly token: string;
}

/** Key of the tab's storage under which the link is kept, so that the page survives a reload. */
const STORED = 'telltale.appeal';

/**
 * Reads the check and the token from the part of the address after `#`, which is never sent to a server, and removes
 * both from the address bar. Without them, returns the link that this tab showed before; null without one.
 */
export function readLink(): Link | null {
  const fragment = window.location.hash.slice(1);
  if (fragment !== '') window.sessionStorage.setItem(STORED, fragment);
  window.history.replaceState(null, '', window.location.pathname);
  const [id = '', token = ''] = (window.sessionStorage.getItem(STORED) ?? '').split('.');
  return id === '' || token === '' ? null : { id, token };
}

/** Sends a request with the link's token. Rejects with an error whose message is for people. */
async function send(link: Link, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`/v1/checks/${encodeURIComponent(link.id)}/appeals${path}`, {
    ...init,
    headers: { authorization: `Bearer ${link.token}` },
  }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new Error('The service can’t be reached. Check your connection.');
  });
  if (response.ok) return response;
  const body = (await response.json().catch(() => ({}))) as { error?: { message: string } };
  throw new Error(asSentence(body.error?.message ?? `The service responded with status ${response.status}`));
}

/** Returns the verdict, what was sent through the link, and the decisions. */
export async function loadAppeals(link: Link): Promise<Appeals> {
  return (await (await send(link, '')).json()) as Appeals;
}

/** Sends an original for comparison. An aborted `signal` stops the upload, which then uses no attempt. */
export async function sendOriginal(
  link: Link,
  original: { readonly file: File; readonly remark: string },
  signal: AbortSignal,
): Promise<void> {
  const body = new FormData();
  body.append('file', original.file);
  if (original.remark !== '') body.append('remark', original.remark);
  await send(link, '', { method: 'POST', body, signal });
}

export async function withdraw(link: Link, appeal: string): Promise<void> {
  await send(link, `/${appeal}`, { method: 'DELETE' });
}

/** Loads a reduced copy of the checked image. */
export async function loadImage(link: Link): Promise<Blob> {
  return (await send(link, '/image')).blob();
}
