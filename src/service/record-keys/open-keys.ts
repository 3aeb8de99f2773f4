// Chooses where the keys that sign records are stored: a file or the database.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { openKeyFile, readKeyFile, type KeyFile } from '../../record/keys/key-file.js';
import {
  type RecordKeys,
  generateSigner,
  publicKeyOf,
  readSigner,
  type PublicKey,
  type Signer,
  KEEP_MS,
  periodOf,
} from '../../record/keys/keys.js';
import { audit, type Change } from '../../accounts/audit.js';
import { isUniqueViolation } from '../../storage/db/faults.js';
import { RecordFault } from '../../record/faults.js';

/**
 * Opens the keys that sign records. They are in the file TELLTALE_RECORD_KEY if set, else in `database`, or
 * without a database in a file in the data folder. A database takes over the keys of that file, so that an
 * installation that grows keeps its key.
 */
export function openRecordKeys(
  { recordKeyFile, dataDir }: Pick<Config, 'recordKeyFile' | 'dataDir'>,
  database: Database | null,
): RecordKeys {
  if (recordKeyFile !== null) return openKeyFile(recordKeyFile, false);
  const defaultFile = join(dataDir, 'record-key.pem');
  if (database === null) return openKeyFile(defaultFile, true);
  return openKeyTable(database, {
    read: () => readKeyFile(defaultFile),
    remove: () => rm(defaultFile, { force: true }),
  });
}

interface KeyRow {
  /** Number of the key. The highest number signs. Former keys from a key file are numbered 0, -1, .... */
  number: number;
  public_x: string;
  /** Private key, or null after a newer key has replaced it. */
  private_pem: string | null;
  created_at: number;
  signs_from: number | null;
  signs_until: number | null;
  revoked_at: number | null;
}

/** Key file from before there was a database. Its keys move to the table, and the file is deleted. */
interface FormerKeyFile {
  /** Reads the file, or returns null if the file does not exist. */
  readonly read: () => Promise<KeyFile | null>;
  readonly remove: () => Promise<void>;
}

/** Opens the keys in `database`. Takes over the keys of a former key file first. */
function openKeyTable(database: Database, formerFile: FormerKeyFile): RecordKeys {
  let cachedSigner: { readonly signer: Signer; readonly untilMs: number } | null = null;
  let isTaken = false;
  const keep = (signer: Signer): Signer => {
    cachedSigner = { signer, untilMs: Date.now() + KEEP_MS };
    return signer;
  };
  const all = (): Promise<KeyRow[]> => database.run((queries) => selectKeys(queries));
  const load = async (): Promise<Signer> => {
    let [row] = await all();
    if (row === undefined) {
      const file = await formerFile.read();
      const signer = file?.signer ?? generateSigner();
      const fromMs = file === null ? Date.now() : millisecondsOf(signer.publicKey.signs_from);
      await insert(database, toRow(1, signer.publicKey, signer.pem, fromMs));
      [row] = await all();
    }
    if (!isTaken) await moveFormerKeys(database, formerFile, await all());
    isTaken = true;
    return keep(readSigner(row?.private_pem ?? ''));
  };
  const rotate = async (): Promise<Signer> => {
    await load();
    const signer = generateSigner();
    const now = Date.now();
    await database.transaction(async (queries) => {
      const [last] = await selectKeys(queries).limit(1);
      await queries<KeyRow>('record_keys')
        .whereNotNull('private_pem')
        .update({ private_pem: null, signs_until: now + KEEP_MS });
      await queries('record_keys').insert(toRow((last?.number ?? 0) + 1, signer.publicKey, signer.pem, now));
      await audit(queries, database.actor, rotation(signer.publicKey, last));
    });
    return keep(signer);
  };
  return {
    signer: async () =>
      cachedSigner !== null && cachedSigner.untilMs > Date.now() ? cachedSigner.signer : load(),
    async publicKeys(): Promise<readonly PublicKey[]> {
      await this.signer();
      return describe(await all());
    },
    rotate,
    async revoke(kid) {
      await load();
      const rows = await all();
      const revokedRow = rows.find((row) => publicKeyOf(row.public_x).kid === kid);
      if (revokedRow === undefined) throw new RecordFault(`this installation has no key ${kid}`);
      if (revokedRow === rows[0]) await rotate();
      await database.transaction(async (queries) => {
        const revoked = await queries<KeyRow>('record_keys')
          .where({ number: revokedRow.number })
          .whereNull('revoked_at')
          .update({ revoked_at: Date.now() });
        const change = { what: 'record_key.revoked', accountId: null, subject: kid } as const;
        if (revoked > 0) await audit(queries, database.actor, change);
      });
    },
  };
}

/** Returns the audit entry for a new key that replaces `last`. */
function rotation({ kid }: PublicKey, last: KeyRow | undefined): Change {
  const before = { signs: last ? publicKeyOf(last.public_x).kid : null };
  return { what: 'record_key.rotated', accountId: null, subject: kid, before };
}

/** Moves the former keys of the key file to the table and deletes the file. Requires its current key in the table. */
async function moveFormerKeys(
  database: Database,
  { read, remove }: FormerKeyFile,
  rows: readonly KeyRow[],
): Promise<void> {
  const file = await read();
  const hasKey = ({ x }: PublicKey): boolean => rows.some((row) => row.public_x === x);
  if (file === null || !hasKey(file.signer.publicKey)) return;
  const lowest = Math.min(...rows.map(({ number }) => number));
  const missing = file.former.filter((key) => !hasKey(key));
  for (const [index, key] of missing.entries())
    await insert(database, {
      ...toRow(lowest - 1 - index, key, null, millisecondsOf(key.signs_from)),
      signs_until: millisecondsOf(key.signs_until),
      revoked_at: millisecondsOf(key.revoked_at),
    });
  await remove();
}

/** Inserts a key, unless another process has inserted it first. */
async function insert(database: Database, row: KeyRow): Promise<void> {
  await database
    .run((queries) => queries('record_keys').insert(row))
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
    });
}

/** Returns the keys with the periods in which they sign. Old rows get their period from the next key. */
function describe(rows: readonly KeyRow[]): PublicKey[] {
  return rows.map((row, index) => {
    const next = rows[index - 1];
    const fromMs = row.signs_from ?? (row.number > 1 ? row.created_at : null);
    const untilMs = row.signs_until ?? (next === undefined ? null : next.created_at + KEEP_MS);
    return { ...publicKeyOf(row.public_x), ...periodOf(fromMs, untilMs, row.revoked_at) };
  });
}

function toRow(number: number, { x }: PublicKey, pem: string | null, fromMs: number | null): KeyRow {
  return {
    number,
    public_x: x,
    private_pem: pem,
    created_at: Date.now(),
    signs_from: fromMs,
    signs_until: null,
    revoked_at: null,
  };
}

function millisecondsOf(moment: string | undefined): number | null {
  return moment === undefined ? null : Date.parse(moment);
}

/** Selects the keys, the current one first. */
function selectKeys(queries: Queries) {
  return queries<KeyRow>('record_keys').orderBy('number', 'desc').select<KeyRow[]>('*');
}
