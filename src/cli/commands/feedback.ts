// `telltale feedback`: exporting images whose verdicts members reported as wrong, as input for `models eval`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeFolder, refuseToWrite } from 'telltale-engine/internal/base/files.js';
import { listAccounts, requireAccount } from '../../accounts/accounts.js';
import { loadConfig, type Config } from '../../config.js';
import { formatTable } from '../../tables/columns.js';
import { writeRows } from '../../tables/write-rows.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import type { Database } from '../../storage/db/database.js';
import { listReported, type PastCheck } from '../../accounts/history/checks.js';
import { openImageStore } from '../../storage/images/open-image-store.js';
import { createImageRetention, type ImageRetention } from '../../storage/images/image-retention.js';
import type { Terminal } from '../terminal/terminal.js';
import { UsageError, type Command, print } from './command.js';
import { withDatabase } from './open-database.js';

// eslint-disable-next-line no-restricted-syntax -- the folder is named so
const HELP = `Usage: telltale feedback export FOLDER [--account NAME] [--json]

Writes verdicts that members reported as wrong: FOLDER/feedback.csv with the
correct labels and the members' notes, and the images to FOLDER/pictures/.
'telltale models eval FOLDER/feedback.csv' measures the detectors on them.

Only stored images (store=true, or 'Keep' in the console) can be written. The
number of missing images is printed. Reports are deleted with their check, after
TELLTALE_HISTORY_DAYS.

  --account NAME   only reports of this account; default: all accounts
  --json           print JSON

Exit status: 0 done, 1 failed, 2 wrong usage.`;

const COLUMNS = [
  'path',
  'label',
  'source',
  'group',
  'check_id',
  'checked_at',
  'verdict',
  'fired',
  'full_image_specialist',
  'face_specialist',
  'profile',
  'model',
  'bands_version',
  'note',
] as const;

export const feedbackCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { account: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const [action, folder, ...rest] = positionals;
    if (action !== 'export' || folder === undefined || rest.length > 0)
      throw new UsageError("Expected 'export FOLDER'");
    const config = loadConfig();
    const exported = await withDatabase(config, (database) =>
      exportFeedback(database, config, folder, values.account),
    );
    await report(terminal, join(folder, 'feedback.csv'), exported, values.json);
    return 0;
  },
};

interface Written {
  readonly pictures: number;
  /** Number of reports that are not exported, because their image was not stored. */
  readonly withoutImage: number;
  /** Number of images by account, largest first. */
  readonly accounts: readonly { readonly name: string; readonly pictures: number }[];
}

async function exportFeedback(
  database: Database,
  config: Config,
  folder: string,
  account: string | undefined,
): Promise<Written> {
  const selectedAccount = account === undefined ? null : await requireAccount(database, account);
  const names = new Map((await listAccounts(database)).map(({ id, name }) => [id, name]));
  const store = await openImageStore(config.store);
  try {
    const retention = createImageRetention(database, store, config.storeDays);
    const reported = await listReported(database, selectedAccount?.id);
    await makeFolder(join(folder, 'pictures'), 0o700).catch(refuseToWrite);
    const rows: (readonly string[])[] = [];
    const byAccount = new Map<string, number>();
    for (const check of reported) {
      const path = await writeImage(retention, check, folder);
      if (path === null) continue;
      const name = names.get(check.accountId) ?? '';
      rows.push(rowOf(check, path, name));
      byAccount.set(name, (byAccount.get(name) ?? 0) + 1);
    }
    await writeFile(join(folder, 'feedback.csv'), writeRows([COLUMNS, ...rows]), { mode: 0o600 }).catch(
      refuseToWrite,
    );
    const accounts = [...byAccount]
      .map(([name, pictures]) => ({ name, pictures }))
      .sort((one, other) => other.pictures - one.pictures);
    return { pictures: rows.length, withoutImage: reported.length - rows.length, accounts };
  } finally {
    store.close();
  }
}

/** Writes the stored image of a report. Returns its path within `folder`, or null without a stored image. */
async function writeImage(
  retention: ImageRetention,
  check: PastCheck,
  folder: string,
): Promise<string | null> {
  const image = check.image && (await retention.open(check.accountId, check.image.id));
  if (!image) return null;
  const path = join('pictures', `${check.id}.${image.format}`);
  await writeFile(join(folder, path), image.bytes, { mode: 0o600 }).catch(refuseToWrite);
  return path;
}

function rowOf(check: PastCheck, path: string, account: string): readonly string[] {
  const values: Readonly<Record<(typeof COLUMNS)[number], string>> = {
    path,
    label: check.report?.label ?? '',
    source: account,
    group: check.report?.label ?? '',
    check_id: check.id,
    checked_at: check.createdAt.toISOString(),
    verdict: check.isAi ? 'ai' : 'no_ai',
    fired: check.fired.join('+'),
    full_image_specialist: String(check.fullImageScore ?? ''),
    face_specialist: String(check.faceScore ?? ''),
    profile: check.profile,
    model: check.model,
    bands_version: check.bandsVersion,
    note: check.report?.note ?? '',
  };
  return COLUMNS.map((name) => values[name]);
}

async function report(terminal: Terminal, file: string, exported: Written, isJson: boolean): Promise<void> {
  const { pictures, withoutImage, accounts } = exported;
  const leftOutNote = withoutImage === 0 ? '' : `; ${withoutImage} more without a stored image are left out`;
  const rows = accounts.map(({ name, pictures: of }) => [visibleText(name), String(of)]);
  await print(terminal, isJson, { file, pictures, without_picture: withoutImage, accounts }, [
    `${visibleText(file)}: ${pictures} reported images${leftOutNote}`,
    ...(rows.length === 0 ? [] : formatTable([['account', 'images'], ...rows])),
  ]);
}
