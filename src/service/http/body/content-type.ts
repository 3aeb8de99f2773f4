// The kind of body that a request announces: it decides who reads it, before a byte is read.
import { CheckError } from '../../../base/errors.js';
import type { Context } from '../state.js';
import { show } from '../../../base/shape.js';

/** The media type without its parameters, in lower case; "" if none is announced. Also told of a body that is empty. */
export function contentType(ctx: Context): string {
  return ctx.request.type.trim().toLowerCase();
}

/** Throws CheckError unsupported_media_type for a body that is announced as compressed. */
export function requirePlainBody(ctx: Context): void {
  const encoding = ctx.get('content-encoding').trim();
  if (encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new CheckError(
    'unsupported_media_type',
    `Expected a body as it is, without Content-Encoding, but received '${show(encoding)}'`,
  );
}
