// Signing in with a password, with limits on tries that hold over all processes.
import type { Database } from '../db/database.js';
import { findMember, type Member } from './members.js';
import { isPassword } from './passwords.js';

/** Tries are counted over this time, from the first. */
const WINDOW_MS = 15 * 60_000;
/** Chosen: above what a forgetful person needs, hopeless for a guesser. */
const TRIES_BY_MEMBER = 10;
/** Chosen: an office behind one address may have several forgetful people. */
const TRIES_BY_ADDRESS = 50;

/** What became of a try. */
export type SignIn =
  | { readonly kind: 'signed_in'; readonly member: Member }
  /** Wrong password, unknown address, or a member without a password: it reads the same. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'too_many_tries'; readonly retryInMs: number };

interface TryRow {
  subject: string;
  tries: number;
  expires_at: number;
}

/** Tries a password. `email` is in the form of `readEmail`, `address` the network address of who tries. */
export async function signIn(
  database: Database,
  {
    email,
    password,
    address,
  }: { readonly email: string; readonly password: string; readonly address: string },
): Promise<SignIn> {
  // Counted before the password is looked at, so that guesses sent at once are counted too.
  for (const [subject, limit] of [
    [`address ${address}`, TRIES_BY_ADDRESS],
    [`member ${email}`, TRIES_BY_MEMBER],
  ] as const) {
    const { tries, expiresInMs } = await countTry(database, subject);
    if (tries > limit) return { kind: 'too_many_tries', retryInMs: expiresInMs };
  }
  const found = await findMember(database, email);
  if (!(await isPassword(password, found?.passwordHash ?? null)) || !found) return { kind: 'refused' };
  await database.run((queries) =>
    queries<TryRow>('sign_in_tries')
      .where({ subject: `member ${email}` })
      .delete(),
  );
  return { kind: 'signed_in', member: found.member };
}

async function countTry(
  database: Database,
  subject: string,
): Promise<{ tries: number; expiresInMs: number }> {
  const now = Date.now();
  const rows = await database.run((queries) =>
    queries<TryRow>('sign_in_tries')
      .insert({ subject, tries: 1, expires_at: now + WINDOW_MS })
      .onConflict('subject')
      .merge({
        tries: queries.raw(
          'case when sign_in_tries.expires_at <= ? then 1 else sign_in_tries.tries + 1 end',
          [now],
        ),
        expires_at: queries.raw(
          'case when sign_in_tries.expires_at <= ? then excluded.expires_at else sign_in_tries.expires_at end',
          [now],
        ),
      })
      .returning(['tries', 'expires_at']),
  );
  const row = rows[0] ?? { tries: 1, expires_at: now + WINDOW_MS };
  return { tries: row.tries, expiresInMs: row.expires_at - now };
}

/** Deletes counts whose time is over. */
export async function sweepTries(database: Database): Promise<void> {
  await database.run((queries) =>
    queries<TryRow>('sign_in_tries').where('expires_at', '<=', Date.now()).delete(),
  );
}
