// Which account to enter, for who has signed in at the organisation and has several, or was invited.
import { CheckError } from '../../../base/errors.js';
import {
  ARRIVAL_MS,
  endArrival,
  enterAccount,
  findArrival,
  listEntrances,
} from '../../../accounts/members/arrivals.js';
import type { ConsoleDeps } from '../deps.js';
import { readJson } from '../../http/body/read-json.js';
import { ChoiceBody } from '../schemas.js';
import { setCookie, startSession } from '../session.js';
import type { Choice } from '../shapes.js';
import type { ConsoleContext } from '../state.js';

type Handler = (ctx: ConsoleContext) => Promise<void>;

const COOKIE = 'telltale_choice';
/** Only these two routes see the cookie. */
const COOKIE_PATH = '/console/api/choice';

/** Lets the browser choose for the arrival behind `token`; null ends that. */
export function keepChoice(ctx: ConsoleContext, { publicUrl }: ConsoleDeps, token: string | null): void {
  setCookie(ctx, publicUrl, { name: COOKIE, value: token, path: COOKIE_PATH, maxAgeMs: ARRIVAL_MS });
}

/** Handles GET choice: the accounts that are open to who came. Errors: not_found. */
export function getChoice({ database }: ConsoleDeps): Handler {
  return async (ctx) => {
    const { email } = await readArrival(ctx, { database });
    const entrances = await listEntrances(database, email);
    ctx.body = {
      email,
      accounts: entrances.map(({ accountId, accountName, isMember }) => ({
        id: accountId,
        name: accountName,
        is_member: isMember,
      })),
    } satisfies Choice;
  };
}

/** Handles POST choice: enters the account, once. Errors: not_found. */
export function postChoice(deps: ConsoleDeps): Handler {
  const { database } = deps;
  return async (ctx) => {
    const { account_id: accountId } = await readJson(ctx, ChoiceBody);
    const { email, token } = await readArrival(ctx, deps);
    const member = await enterAccount(database, accountId, email);
    if (!member) throw new CheckError('not_found', 'this account is not open to you any more');
    await endArrival(database, token);
    keepChoice(ctx, deps, null);
    await startSession(ctx, deps, member);
    ctx.status = 204;
  };
}

async function readArrival(
  ctx: ConsoleContext,
  { database }: Pick<ConsoleDeps, 'database'>,
): Promise<{ readonly email: string; readonly token: string }> {
  const token = ctx.cookies.get(COOKIE) ?? '';
  const email = await findArrival(database, token);
  if (email === null) throw new CheckError('not_found', 'there is nothing to choose any more; sign in again');
  return { email, token };
}
