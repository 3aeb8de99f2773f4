// Creating the demo account: an API key, shown once, and a link that signs in to the console.
import { fileURLToPath } from 'node:url';
import { ensureAccount, findAccount } from '../../../accounts/accounts.js';
import { createKey } from '../../../accounts/keys.js';
import type { Config } from '../../../config.js';
import type { Database } from '../../../storage/db/database.js';
import { createLink } from '../../../accounts/members/links.js';
import { withDatabase } from '../open-database.js';

const ACCOUNT = 'demo';
/** E-mail address of the demo's member, who signs in only by links. RFC 2606 reserves `.invalid`. */
const EMAIL = 'demo@telltale.invalid';
const SAMPLE_IMAGE = fileURLToPath(new URL('../../../../samples/portrait.png', import.meta.url));

/** Creates the demo account, an API key if it has none, and a new link. Returns a text to print. */
export function ensureDemo(config: Config, url: string): Promise<string> {
  return withDatabase(config, async (database) =>
    [await describeKey(database, url), await describeLink(database, config.publicUrl ?? url)].join('\n'),
  );
}

async function describeKey(database: Database, url: string): Promise<string> {
  if (await findAccount(database, ACCOUNT)) {
    return `The key of the account '${ACCOUNT}' was shown at the first start; 'telltale keys create --account ${ACCOUNT} --plan growth' makes another.`;
  }
  const { key } = await createKey(database, { account: ACCOUNT, plan: 'growth', name: 'first start' });
  return [
    `Account '${ACCOUNT}', plan growth, API key (shown this once): ${key}`,
    'Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${key}' -F 'file=@${SAMPLE_IMAGE}' ${url}/v1/check`,
    '',
  ].join('\n');
}

async function describeLink(database: Database, url: string): Promise<string> {
  const { id: accountId } = await ensureAccount(database, ACCOUNT);
  const role = 'operator';
  const { token } = await createLink(database, {
    purpose: 'sign_in',
    accountId,
    email: EMAIL,
    role,
    by: role,
  });
  return `Console: ${url}/invitation#${token} (signs in once, within an hour)`;
}
