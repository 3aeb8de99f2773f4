// `telltale accounts`: creating, changing, exporting and deleting accounts, the customers of the service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  createAccount,
  listAccounts,
  presentAccount,
  setPlan,
  setScanPrefix,
  type Account,
  requireAccount,
} from '../../accounts/accounts.js';
import { countAccount, eraseAccount, exportAccount } from '../../accounts/erase.js';
import { listMakers, MAKER_NAMES, setMaker, type AccountMaker } from '../../accounts/makers.js';
import { keepHashes } from '../../accounts/seen/seen.js';
import { loadPlans, requirePlan } from '../../accounts/plans.js';
import { dayOf } from '../../accounts/usage/period.js';
import { loadConfig } from '../../config.js';
import { makeFolder, refuseToWrite } from 'telltale-engine/internal/base/files.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { createImageRetention, type ImageRetention } from '../../storage/images/image-retention.js';
import { openImageStore } from '../../storage/images/open-image-store.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Database } from '../../storage/db/database.js';
import { readChoice, tableLines, UsageError, type Command, type ExitStatus, print } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale accounts create NAME [--json]
       telltale accounts plan NAME PLAN [--json]
       telltale accounts prefix NAME PREFIX [--json]
       telltale accounts seen NAME on|off [--json]
       telltale accounts makers NAME [MAKER LIMIT|off] [--json]
       telltale accounts list [--json]
       telltale accounts export NAME [--images FOLDER]
       telltale accounts erase NAME [--yes] [--json]

An account owns API keys, usage and images. 'telltale keys create' also creates
accounts.

plan: sets the plan of the account, one of 'telltale plans'.
prefix: sets the part of the bucket in TELLTALE_STORE_URL that scans of the
account may read, such as acme/. '/' allows the whole bucket, '' nothing.
seen: stores hashes of images for 'include=seen'. 'off' deletes the hashes.
makers: allows requests to a maker's detection service (${MAKER_NAMES.join(', ')}) with
provenance=ask, at most LIMIT per month. Default: none.
export: prints all data of the account except secrets as JSON lines. --images
also writes its stored images.
erase: prints what would be erased. --yes erases it.

Exit status: 0 done, 1 failed, 2 wrong usage.`;

export const accountsCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        images: { type: 'string' },
        yes: { type: 'boolean', default: false },
      },
    });
    const [action, name, value, ...rest] = positionals;
    if ((values.images !== undefined && action !== 'export') || (values.yes && action !== 'erase'))
      throw new UsageError("--images belongs to 'export', --yes to 'erase'");
    if (action === 'export' && name !== undefined && value === undefined)
      await withAccount(name, (parts) => writeExport(parts, values.images ?? null, terminal));
    else if (action === 'makers' && name !== undefined)
      await withDatabase(loadConfig(), async (database) => {
        const { id } = await requireAccount(database, name);
        await switchMaker(database, id, value, rest);
        await showMakers(await listMakers(database, id), values.json, terminal);
      });
    else if (action === 'erase' && name !== undefined && value === undefined)
      await withAccount(name, (parts) => erase(parts, values, terminal));
    else if (action === 'seen' && name !== undefined && value !== undefined && rest.length === 0)
      return await switchHashes(name, readChoice('seen', value, ['on', 'off']), values.json, terminal);
    else {
      const act = chooseAction(action, name, value);
      if (!act || rest.length > 0)
        throw new UsageError(
          "Expected 'create NAME', 'plan NAME PLAN', 'prefix NAME PREFIX', 'seen NAME on|off', 'makers NAME', 'export NAME', 'erase NAME' or 'list'",
        );
      const isFound = await withDatabase(loadConfig(), act);
      const json = Array.isArray(isFound) ? isFound.map(presentAccount) : presentAccount(isFound);
      return print(terminal, values.json, json, describe([isFound].flat()));
    }
    return 0;
  },
};

/** An account, with the database and the storage of its images. */
interface AccountParts {
  readonly database: Database;
  readonly retention: ImageRetention;
  readonly id: string;
  readonly name: string;
}

async function withAccount(name: string, work: (parts: AccountParts) => Promise<void>): Promise<void> {
  const config = loadConfig();
  await withDatabase(config, async (database) => {
    const { id } = await requireAccount(database, name);
    const store = await openImageStore(config.store);
    try {
      await work({ database, retention: createImageRetention(database, store, config.storeDays), id, name });
    } finally {
      store.close();
    }
  });
}

/** Writes an account's data as JSON lines. With a folder, also writes its stored images there. */
async function writeExport(
  { database, retention, id }: AccountParts,
  folder: string | null,
  terminal: Terminal,
): Promise<void> {
  if (folder !== null) await makeFolder(folder, 0o700).catch(refuseToWrite);
  for await (const row of exportAccount(database, id)) {
    await terminal.out.writeLine(JSON.stringify(row));
    if (folder === null || row.table !== 'images') continue;
    const image = await retention.open(id, String(row.id));
    const path = join(folder, `${String(row.id)}.${image?.format ?? ''}`);
    if (image) await writeFile(path, image.bytes, { mode: 0o600 }).catch(refuseToWrite);
  }
}

async function erase(
  { database, retention, id, name }: AccountParts,
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
  terminal: Terminal,
): Promise<void> {
  const contents = yes ? await eraseAccount(database, retention, id) : await countAccount(database, id);
  if (json) return terminal.out.writeLine(JSON.stringify({ id, name, erased: yes, ...contents }));
  const counts = Object.entries(contents).map(([noun, count]) => `${count} ${noun.replace('_', ' ')}`);
  await terminal.out.writeLine(
    `${visibleText(name)}: ${yes ? 'erased' : 'would erase'} ${counts.join(', ')}${yes ? '' : '; --yes erases it for good'}`,
  );
}

async function switchHashes(
  name: string,
  value: 'on' | 'off',
  isJson: boolean,
  terminal: Terminal,
): Promise<ExitStatus> {
  const isOn = value === 'on';
  const id = await withDatabase(loadConfig(), async (database) => {
    const account = await requireAccount(database, name);
    await keepHashes(database, account.id, isOn);
    return account.id;
  });
  const effect = isOn
    ? 'hashes are stored from now on'
    : 'hashes are no longer stored, and stored ones were deleted';
  return print(terminal, isJson, { id, name, keeps_hashes: isOn }, [`${visibleText(name)}: ${effect}`]);
}

/** Enables or disables the service of the generator company `maker` for an account. */
async function switchMaker(
  database: Database,
  accountId: string,
  maker: string | undefined,
  [limit, ...extraArguments]: readonly string[],
): Promise<void> {
  if (maker === undefined) return;
  const name = readChoice('MAKER', maker, MAKER_NAMES);
  if (limit === undefined || extraArguments.length > 0 || !/^(off|\d{1,10})$/.test(limit))
    throw new UsageError("Expected 'makers NAME MAKER LIMIT', with a number of requests a month, or 'off'");
  await setMaker(database, accountId, name, limit === 'off' ? null : Number(limit));
}

async function showMakers(makers: readonly AccountMaker[], json: boolean, terminal: Terminal): Promise<void> {
  const presented = makers.map(({ maker, requestsPerMonth, requestsSent: asked }) => ({
    maker,
    requests_per_month: requestsPerMonth,
    asked,
  }));
  const rows = presented.map((maker) => [maker.maker, String(maker.requests_per_month), String(maker.asked)]);
  await print(terminal, json, presented, tableLines(['maker', 'a month', 'asked'], rows));
}

type Action = (database: Database) => Promise<Account | Account[]>;

function chooseAction(action?: string, name?: string, value?: string): Action | null {
  if (action === 'list' && name === undefined) return listAccounts;
  if (name === undefined) return null;
  if (action === 'create' && value === undefined) return (database) => createAccount(database, name);
  if (value === undefined) return null;
  if (action === 'plan') {
    const { name: plan } = requirePlan(loadPlans(loadConfig().plansFile ?? undefined), value);
    return async (database) => setPlan(database, (await requireAccount(database, name)).id, plan);
  }
  if (action === 'prefix')
    return async (database) => setScanPrefix(database, (await requireAccount(database, name)).id, value);
  return null;
}

function describe(accounts: readonly Account[]): string[] {
  return tableLines(
    ['id', 'plan', 'since', 'bucket', 'name'],
    accounts.map(({ id, name, plan, scanPrefix, createdAt }) => [
      id,
      plan ?? 'none',
      dayOf(createdAt),
      scanPrefix ?? 'none',
      name,
    ]),
  );
}
