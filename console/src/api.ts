// Calls the service's routes for the console, with JSON bodies and error codes.
import type { CheckResult } from '../../src/library/check/result-schema.js';
import type { Verification } from '../../src/service/console/shapes.js';
import type { ErrorCode } from '../../src/library/base/error-codes.js';

const BASE = '/console/api';

/** Error response. `retryAfterS` is set if a retry can help, `record` for a refused image with a record. */
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

/** Receives an event after each 401 and 403, because the session has ended or the role has changed. */
export const signedOut = new EventTarget();

/** Sends a request. Returns the JSON of the response, or null without a body. Rejects with ApiError. */
export async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<T> {
  const response = await send(method, path, body, signal);
  return (response.status === 204 ? null : await readJson(response)) as T;
}

/** Returns a printable page for a record (evidence about a check) that this service signed. Rejects with ApiError. */
export async function drawRecordPage(record: unknown): Promise<Blob> {
  return (await send('POST', '/records/page', record)).blob();
}

/** Verifies a record (evidence about a check), optionally with its image. Rejects with ApiError. */
export async function verifyRecord(record: File, image: File | null): Promise<Verification> {
  const form = new FormData();
  for (const file of [record, image]) if (file) form.append('files', file, 'file');
  return (await readJson(await send('POST', '/records/verify', form))) as Verification;
}

/** Sends a request. FormData is sent unchanged, other bodies as JSON. */
async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const content =
    body === undefined || body instanceof FormData
      ? { body }
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(BASE + path, { method, signal, ...content } as RequestInit).catch(() => {
    throw unreachable();
  });
  if (!response.ok)
    throw readError(response.status, await response.text(), response.headers.get('retry-after'));
  return response;
}

/** An image to check: a file, or an address that the service fetches. */
export type Source =
  { readonly kind: 'file'; readonly file: File } | { readonly kind: 'url'; readonly url: string };

/** Query parameters of a check. */
export type CheckQuery = Readonly<Record<string, string>>;

/** Checks an image. Calls `onProgress` with the share of the file that has been sent, 0..1. Rejects with ApiError. */
export async function checkImage(
  source: Source,
  query: CheckQuery,
  onProgress: (part: number) => void,
): Promise<CheckResult> {
  const response = await sendImage(`/checks?${new URLSearchParams(query).toString()}`, source, onProgress);
  return (await readJson(response)) as CheckResult;
}

/** Returns a PNG, made by the service, of an image that the browser can't show. Rejects with ApiError. */
export function drawPreview(source: Source): Promise<Blob> {
  return sendImage('/preview', source, () => undefined);
}

/** Sends an image with XMLHttpRequest, because fetch reports no upload progress. */
function sendImage(path: string, source: Source, onProgress: (part: number) => void): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', BASE + path);
    request.responseType = 'blob';
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / Math.max(1, total));
    request.onerror = request.onabort = () => reject(unreachable());
    request.onload = () => {
      const blob = request.response as Blob;
      if (request.status < 400) resolve(blob);
      else
        void blob
          .text()
          .then((text) => reject(readError(request.status, text, request.getResponseHeader('retry-after'))))
          .catch(() => reject(unreachable()));
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

/** Returns the message of an error for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Parses the body of a successful response. Rejects with ApiError for other text, such as a proxy's page. */
async function readJson(response: Response | Blob): Promise<unknown> {
  const text = await response.text().catch(() => {
    throw unreachable();
  });
  try {
    return JSON.parse(text);
  } catch {
    const message = 'The response is not from Telltale. A proxy may have answered. Load the page again.';
    throw new ApiError('unreachable', message, 0);
  }
}

function readError(status: number, text: string, retryAfter: string | null): ApiError {
  let error: { code?: unknown; message?: unknown } = {};
  let record: unknown = null;
  try {
    ({ error = {}, record = null } = JSON.parse(text) as { error?: typeof error; record?: unknown });
  } catch {
    // The error page of a proxy has no error object.
  }
  const code = typeof error.code === 'string' ? (error.code as ErrorCode) : 'unreachable';
  const message =
    typeof error.message === 'string' ? error.message : `The service responded with status ${status}.`;
  if (code === 'unauthorized' || code === 'forbidden') signedOut.dispatchEvent(new Event('maybe'));
  return new ApiError(code, message, status, retryAfter === null ? null : Number(retryAfter), record);
}

function unreachable(): ApiError {
  return new ApiError('unreachable', "The service can't be reached. Check your connection.", 0);
}
