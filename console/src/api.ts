// Calls of the console's own API: JSON in and out, and errors with their codes.
import type { CheckResult } from '../../src/library/check/result-schema.js';
import type { Verification } from '../../src/service/console/shapes.js';
import type { ErrorCode } from '../../src/library/base/error-codes.js';

const BASE = '/console/api';

/** An answer that is an error; `retryAfterS` where waiting helps, `record` where an image's refusal was recorded. */
export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode | 'unreachable',
    message: string,
    readonly status: number,
    readonly retryAfterS: number | null = null,
    readonly record: unknown = null,
  ) {
    super(message);
  }
}

/** Told of every 401 and 403: whoever was signed in is no longer, or has another role. */
export const signedOut = new EventTarget();

/** Sends a request; gives the JSON of the answer, null where it has no body. Rejects with ApiError. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await send(method, path, body);
  return (response.status === 204 ? null : await response.json()) as T;
}

/** The page of a record that this service signed. Rejects with ApiError. */
export async function drawRecordPage(record: unknown): Promise<Blob> {
  return (await send('POST', '/records/page', record)).blob();
}

/** What holds of a record, with its image or without. Rejects with ApiError. */
export async function verifyRecord(record: File, image: File | null): Promise<Verification> {
  const form = new FormData();
  for (const file of [record, image]) if (file) form.append('files', file, 'file');
  return (await (await send('POST', '/records/verify', form)).json()) as Verification;
}

/** A form goes as it is, anything else as JSON. */
async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const content =
    body === undefined || body instanceof FormData
      ? { body }
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(BASE + path, { method, ...content } as RequestInit).catch(() => {
    throw unreachable();
  });
  if (!response.ok)
    throw readError(response.status, await response.text(), response.headers.get('retry-after'));
  return response;
}

/** An image to check: a file, or an address that the service fetches. */
export type Source =
  { readonly kind: 'file'; readonly file: File } | { readonly kind: 'url'; readonly url: string };

/** Options of a check, as the query holds them. */
export type CheckQuery = Readonly<Record<string, string>>;

/** Checks an image; `onProgress` is told the part that is sent, 0..1. Rejects with ApiError. */
export async function checkImage(
  source: Source,
  query: CheckQuery,
  onProgress: (part: number) => void,
): Promise<CheckResult> {
  const response = await sendImage(`/checks?${new URLSearchParams(query).toString()}`, source, onProgress);
  return JSON.parse(await response.text()) as CheckResult;
}

/** A PNG of an image that the browser can't show. Rejects with ApiError. */
export function drawPreview(source: Source): Promise<Blob> {
  return sendImage('/preview', source, () => undefined);
}

/** By XMLHttpRequest, as fetch tells nothing of what is sent. */
function sendImage(path: string, source: Source, onProgress: (part: number) => void): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', BASE + path);
    request.responseType = 'blob';
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / Math.max(1, total));
    request.onerror = () => reject(unreachable());
    request.onload = () => {
      const blob = request.response as Blob;
      if (request.status < 400) resolve(blob);
      else
        void blob
          .text()
          .then((text) => reject(readError(request.status, text, request.getResponseHeader('retry-after'))));
    };
    if (source.kind === 'url') {
      request.setRequestHeader('content-type', 'application/json');
      request.send(JSON.stringify({ image_url: source.url }));
      return;
    }
    const form = new FormData();
    form.append('file', source.file, source.file.name || 'image');
    request.send(form);
  });
}

/** What to tell people of a rejection. */
export function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function readError(status: number, text: string, retryAfter: string | null): ApiError {
  let error: { code?: unknown; message?: unknown } = {};
  let record: unknown = null;
  try {
    ({ error = {}, record = null } = JSON.parse(text) as { error?: typeof error; record?: unknown });
  } catch {
    // A proxy's page: the status is all that is known.
  }
  const code = typeof error.code === 'string' ? (error.code as ErrorCode) : 'unreachable';
  const message =
    typeof error.message === 'string' ? error.message : `the service answered with status ${status}`;
  if (code === 'unauthorized' || code === 'forbidden') signedOut.dispatchEvent(new Event('maybe'));
  return new ApiError(code, message, status, retryAfter === null ? null : Number(retryAfter), record);
}

function unreachable(): ApiError {
  return new ApiError('unreachable', 'the service could not be reached', 0);
}
