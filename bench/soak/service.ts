// The soak test's service, in a separate process. It may fetch images from this machine, unlike normal services.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureAccount } from '../../src/accounts/accounts.js';
import { createKey } from '../../src/accounts/keys.js';
import { loadConfig } from '../../src/config.js';
import { openDatabase } from '../../src/storage/db/database.js';
import { createLink } from '../../src/accounts/members/links.js';
import { startService } from '../../src/service/service.js';

/**
 * Address of the console. The service takes a caller's network from a header, as behind a proxy, so that one machine
 * can play many callers.
 */
export const ORIGIN = 'http://soak.example';

/** The two accounts: of well-behaved and of hostile callers. Both have the same plan (limits). */
export type Account = 'good' | 'hostile';

export type SoakAccounts = Readonly<
  Record<Account, { readonly key: string; readonly email: string; readonly invitation: string }>
>;

/** Message that the child process sends when the service accepts requests. */
export interface Serving {
  readonly url: string;
  readonly accounts: SoakAccounts;
}

const PLANS = {
  soak: {
    checks_per_month: null,
    requests_per_second: 100,
    burst: 300,
    batch: true,
    scan_items: 0,
    scans_at_once: 0,
  },
};

async function serve(folder: string): Promise<void> {
  const plansFile = join(folder, 'plans.json');
  writeFileSync(plansFile, JSON.stringify(PLANS));
  const config = loadConfig({
    TELLTALE_DATA_DIR: folder,
    TELLTALE_PORT: '0',
    TELLTALE_PLANS_FILE: plansFile,
    TELLTALE_PUBLIC_URL: ORIGIN,
    TELLTALE_LOG: 'error',
    TELLTALE_MODELS_DIR: process.env.TELLTALE_MODELS_DIR,
  });
  const service = await startService(config, {
    fetcher: { resolve: () => Promise.resolve(['127.0.0.1']), isAllowed: () => true },
  });
  const database = await openDatabase(config.database);
  const open = async (account: Account): Promise<SoakAccounts[Account]> => {
    const { id: accountId } = await ensureAccount(database, account);
    const { key } = await createKey(database, { account, plan: 'soak' });
    const email = `member@${account}.example`;
    const link = { purpose: 'invitation', accountId, email, role: 'member', by: 'operator' } as const;
    return { key, email, invitation: (await createLink(database, link)).token };
  };
  const accounts = { good: await open('good'), hostile: await open('hostile') };
  process.once('disconnect', () => {
    void database
      .close()
      .then(() => service.stop())
      .then(() => process.exit());
  });
  process.send?.({ url: service.url, accounts } satisfies Serving);
}

process.once('message', (folder: string) => void serve(folder));
