// Console routes of the audit log. Owners read the log of their account, operators the log of all accounts.
import type { Static } from '@sinclair/typebox';
import { requireAccount } from '../../../accounts/accounts.js';
import { pageAudit, presentEntry, type AuditFilter } from '../../../accounts/audit.js';
import { readMoment } from '../../../accounts/usage/period.js';
import type { AuditQuery, WholeAuditQuery } from '../schemas.js';
import { memberOf, type ConsoleContext } from '../session.js';
import type { Services } from '../../services.js';

/** Handles GET audit: lists entries of the account, newest first. Throws CheckError invalid_request. */
export function getAudit({ database }: Services) {
  return async (ctx: ConsoleContext, query: Static<typeof AuditQuery>) => {
    const { accountId } = memberOf(ctx);
    const { rows, next } = await pageAudit(database, { ...readFilter(query), accountId }, query.before);
    return { entries: rows.map((entry) => presentEntry(entry, accountId)), next };
  };
}

/**
 * Handles GET operator/audit: lists entries of all accounts, or of a named account. Throws CheckError
 * invalid_request.
 */
export function getWholeAudit({ database }: Services) {
  return async (_: ConsoleContext, { account: name, ...query }: Static<typeof WholeAuditQuery>) => {
    const account = name === undefined ? null : await requireAccount(database, name);
    const filter = { ...readFilter(query), ...(account && { accountId: account.id }) };
    const { rows, next } = await pageAudit(database, filter, query.before);
    return { entries: rows.map((entry) => presentEntry(entry, null)), next };
  };
}

function readFilter({ what: changeName, from, to }: Static<typeof AuditQuery>): AuditFilter {
  return {
    ...(changeName !== undefined && { what: changeName }),
    ...(from !== undefined && { since: readMoment('from', from, 'start') }),
    ...(to !== undefined && { until: readMoment('to', to, 'end') }),
  };
}
