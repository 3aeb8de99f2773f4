// The page of a list that a request asks for, read alike by all routes.
import type { Static } from '@sinclair/typebox';
import { requireValid } from '../http/body/require-valid.js';
import { collectFields } from '../http/checks/check-options.js';
import { PlaceQuery } from './schemas.js';
import type { ConsoleContext } from './state.js';

/** `before` or `after`, from the query. Throws CheckError invalid_request. */
export function readPlace(ctx: ConsoleContext): Static<typeof PlaceQuery> {
  const fields = collectFields([...new URLSearchParams(ctx.querystring)]);
  return requireValid(PlaceQuery, fields, 'the query');
}
