// Small JSON bodies of the console's own API.
import type { Static, TSchema } from '@sinclair/typebox';
import { CheckError } from '../../base/errors.js';
import { parseJson } from '../http/body/parse-json.js';
import { receiveBody } from '../http/body/receive-body.js';
import { requireValid } from '../http/body/validate.js';
import type { ConsoleContext } from './state.js';

const MAX_BYTES = 16_384;
/** Objects, lists, members and items; no body has fifty. */
const MAX_PARTS = 200;

/** The body, held against a schema. Errors: unsupported_media_type, invalid_request. */
export async function readJson<T extends TSchema>(ctx: ConsoleContext, schema: T): Promise<Static<T>> {
  if (!ctx.is('application/json'))
    throw new CheckError('unsupported_media_type', 'Expected the content type application/json');
  const chunks: Buffer[] = [];
  const refuse = (): CheckError =>
    new CheckError('invalid_request', `the JSON body has more than ${MAX_BYTES} bytes`);
  await receiveBody(ctx, { maxBytes: MAX_BYTES, refuse }, (chunk) => chunks.push(chunk));
  return requireValid(schema, parseJson(Buffer.concat(chunks), MAX_PARTS), 'the JSON body');
}
