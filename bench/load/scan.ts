// A scan, from its list to its end, as a caller sees it.
import { setTimeout } from 'node:timers/promises';
import type { PresentedScan } from '../../src/service/scans/scan.js';
import type { HttpTarget } from './http-closed-loop.js';

const LOOK_EVERY_MS = 500;

/** Begins a scan of `addresses`. */
export async function startScan(target: HttpTarget, addresses: readonly string[]): Promise<PresentedScan> {
  const list = addresses.map((url, index) => `${JSON.stringify({ url, ref: `item-${index}` })}\n`).join('');
  const form = new FormData();
  form.append('file', new Blob([list]), 'list.jsonl');
  return ask(target, '', { method: 'POST', body: form });
}

/** Waits until `isReached`, looking twice a second. */
export async function waitForScan(
  target: HttpTarget,
  id: string,
  isReached: (scan: PresentedScan) => boolean,
): Promise<PresentedScan> {
  for (;;) {
    const scan = await ask(target, `/${id}`);
    if (isReached(scan)) return scan;
    await setTimeout(LOOK_EVERY_MS);
  }
}

/** Ends a scan before its end. */
export function cancelScan(target: HttpTarget, id: string): Promise<PresentedScan> {
  return ask(target, `/${id}`, { method: 'DELETE' });
}

async function ask({ url, key }: HttpTarget, path: string, init: RequestInit = {}): Promise<PresentedScan> {
  const headers = { authorization: `Bearer ${key ?? ''}` };
  const response = await fetch(`${url}/v1/scans${path}`, { ...init, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`/v1/scans${path}: status ${response.status}: ${text}`);
  return JSON.parse(text) as PresentedScan;
}
