// Small JSON bodies, of the console's own API and of feedback.
import type { Static, TSchema } from '@sinclair/typebox';
import { CheckError } from '../../../base/errors.js';
import type { Context } from '../state.js';
import { parseJson } from './parse-json.js';
import { receiveBody } from './receive-body.js';
import { requireValid } from './require-valid.js';

const MAX_BYTES = 16_384;
/** Objects, lists, members and items; no body has fifty. */
const MAX_PARTS = 200;

/** The body, held against a schema. Errors: unsupported_media_type, invalid_request. */
export async function readJson<T extends TSchema>(ctx: Context, schema: T): Promise<Static<T>> {
  if (!ctx.is('application/json'))
    throw new CheckError('unsupported_media_type', 'Expected the content type application/json');
  const chunks: Buffer[] = [];
  const refuse = (): CheckError =>
    new CheckError('invalid_request', `the JSON body has more than ${MAX_BYTES} bytes`);
  await receiveBody(ctx, { maxBytes: MAX_BYTES, refuse }, (chunk) => chunks.push(chunk));
  return requireValid(schema, parseJson(Buffer.concat(chunks), MAX_PARTS), 'the JSON body');
}
