// GET /healthz: the process lives. GET /readyz: it can serve.
import type { Database } from '../../db/database.js';
import { CheckError } from '../../errors.js';
import type { Context } from '../state.js';

/** Handles GET /healthz; touches nothing outside the process. */
export function getHealth(ctx: Context): void {
  ctx.body = { status: 'ok' };
}

/** Handles GET /readyz. Errors: overloaded while stopping, unavailable without the database. */
export function getReadiness(database: Database, isStopping: () => boolean): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    if (isStopping()) throw new CheckError('overloaded', 'the service is stopping');
    await database.run((queries) => queries.raw('select 1'));
    ctx.body = { status: 'ready' };
  };
}
