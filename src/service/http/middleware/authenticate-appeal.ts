// Authenticates requests about appeals by an API key or by the token of an appeal link, and limits their rate. Each link
// has its own limits, so that it can block neither the account nor other links.
import { findAppealLink, isAppealToken, requireLink } from '../../../accounts/appeals/links.js';
import { consumeRequest } from '../../../accounts/usage/rate-limit.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Database } from '../../../storage/db/database.js';
import { admit } from '../checks/admission.js';
import { withHeaders } from '../errors/answer-errors.js';
import type { Services } from '../../services.js';
import type { Middleware } from '../route.js';
import { callerOf, paramOf, type Context } from '../state.js';

/** Rate limit of all requests through one link, because they are not charged. */
const LINK_REQUESTS = { requestsPerSecond: 2, burst: 20 };
/** Rate limit of appeals of an account, and of those through one link. Each runs a check without a charge. */
const APPEALS = { requestsPerSecond: 0.1, burst: 5 };
/** Rate limit of new links of an account, because each allows three more checks without a charge. */
const NEW_LINKS = { requestsPerSecond: 0.2, burst: 20 };

/**
 * Creates middleware that requires an API key, or the token of an appeal link for this check. Throws the
 * errors of `authenticate`, CheckError unauthorized, rate_limited.
 */
export function authenticateAppeal({ database, authenticate }: Services): Middleware {
  const byKey = authenticate('check');
  return async (ctx, next) => {
    const token = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? '';
    if (!isAppealToken(token)) return byKey(ctx, next);
    const found = await findAppealLink(database, token);
    const link = found?.checkId === paramOf(ctx, 'id') ? found : null;
    try {
      requireLink(link, ctx.method === 'GET');
    } catch (error) {
      throw error instanceof CheckError ? withHeaders(error, { 'WWW-Authenticate': 'Bearer' }) : error;
    }
    ctx.state.appealLink = link;
    await countRequest(ctx, database, `${link.id} requests`, LINK_REQUESTS);
    await next();
  };
}

/** Creates middleware that limits appeals of an account or a link. Throws CheckError rate_limited. */
export function countAppeal({ database }: Services): Middleware {
  return async (ctx, next) => {
    const { appealLink: link } = ctx.state;
    await countRequest(ctx, database, link ? `${link.id} appeals` : 'appeals', APPEALS);
    await next();
  };
}

/** Creates middleware that limits new links of an account. Throws CheckError rate_limited. */
export function countNewLink({ database }: Services): Middleware {
  return async (ctx, next) => {
    await countRequest(ctx, database, 'appeal links', NEW_LINKS);
    await next();
  };
}

/** Creates middleware that admits an appeal: through a link with the permits of links, else like a check. */
export function admitAppeal({ semaphore, linkSemaphore, deadlineMs }: Services): Middleware {
  const [byKey, byLink] = [admit(semaphore, deadlineMs), admit(linkSemaphore, deadlineMs)];
  return (ctx, next) => (ctx.state.appealLink ? byLink : byKey)(ctx, next);
}

async function countRequest(
  ctx: Context,
  database: Database,
  name: string,
  rate: typeof APPEALS,
): Promise<void> {
  const { appealLink: link } = ctx.state;
  const accountId = link?.accountId ?? callerOf(ctx).accountId;
  const { allowed, retryInMs } = await consumeRequest(database, accountId, { name, ...rate });
  if (allowed) return;
  const seconds = Math.max(1, Math.ceil(retryInMs / 1000));
  const sender = link ? 'Too many requests came through this link' : `This account sent too many ${name}`;
  throw withHeaders(new CheckError('rate_limited', `${sender}. Try again in ${seconds} s`), {
    'Retry-After': String(seconds),
  });
}
