// What kind of body a request announces.
import type { Context } from '../state.js';

/** The media type without its parameters, in lower case; "" where none is announced. Also told of a body that is empty. */
export function contentType(ctx: Context): string {
  return ctx.request.type.trim().toLowerCase();
}
