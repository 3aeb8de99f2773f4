// The demo account: a key to try the service with, shown once.
import { fileURLToPath } from 'node:url';
import { findAccount } from '../../accounts/accounts.js';
import { createKey } from '../../accounts/keys.js';
import type { Config } from '../../config.js';
import { withDatabase } from '../open-database.js';

const ACCOUNT = 'demo';
const SAMPLE_PICTURE = fileURLToPath(new URL('../../../samples/portrait.png', import.meta.url));

/** Makes the account and its key where there is none; gives the text to print, with a curl line to paste. */
export function ensureDemoKey(config: Config, url: string): Promise<string> {
  return withDatabase(config, async (database) => {
    if (await findAccount(database, ACCOUNT)) {
      return `The key of the account '${ACCOUNT}' was shown at the first start; 'telltale keys create --account ${ACCOUNT} --plan growth' makes another.`;
    }
    const { key } = await createKey(database, { account: ACCOUNT, plan: 'growth', name: 'first start' });
    return [
      `Account '${ACCOUNT}', plan growth, API key (shown this once): ${key}`,
      'Try it:',
      '',
      `  curl -H 'Authorization: Bearer ${key}' -F 'file=@${SAMPLE_PICTURE}' ${url}/v1/check`,
      '',
    ].join('\n');
  });
}
