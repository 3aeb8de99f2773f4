// The key in the database, which all replicas share.
import type { Database, Queries } from '../../storage/db/database.js';
import { isUniqueViolation } from '../../storage/db/faults.js';
import { generateSigner, publicKeyOf, readSigner } from '../../record/keys/keys.js';
import type { PublicKey, RecordKeys, Signer } from '../../record/keys/keys.js';

/** Chosen: after a rotation another process signs with the former key, which stays good, for a minute at most. */
const KEEP_MS = 60_000;

interface KeyRow {
  number: number;
  public_x: string;
  /** Null once another key followed. */
  private_pem: string | null;
  created_at: number;
}

/** Keys in `database`. `first`: the key to begin with; default: a new one. */
export function openKeyTable(
  database: Database,
  first: () => Promise<Signer> = () => Promise.resolve(generateSigner()),
): RecordKeys {
  let kept: { readonly signer: Signer; readonly untilMs: number } | null = null;
  const keep = (signer: Signer): Signer => {
    kept = { signer, untilMs: Date.now() + KEEP_MS };
    return signer;
  };
  const load = async (): Promise<Signer> => {
    const find = () => database.run((queries) => selectKeys(queries).limit(1));
    let [row] = await find();
    if (row === undefined) {
      const signer = await first();
      await database
        .run((queries) => queries('record_keys').insert(toRow(1, signer)))
        .catch((error: unknown) => {
          // Another process was first, and its key counts.
          if (!isUniqueViolation(error)) throw error;
        });
      [row] = await find();
    }
    return keep(readSigner(row?.private_pem ?? ''));
  };
  return {
    signer: async () => (kept !== null && kept.untilMs > Date.now() ? kept.signer : load()),
    async publicKeys(): Promise<readonly PublicKey[]> {
      await this.signer();
      const rows = await database.run((queries) => selectKeys(queries));
      return rows.map((row) => publicKeyOf(row.public_x));
    },
    async rotate() {
      await load();
      const signer = generateSigner();
      await database.transaction(async (queries) => {
        const [last] = await selectKeys(queries).limit(1);
        await queries('record_keys').whereNotNull('private_pem').update({ private_pem: null });
        await queries('record_keys').insert(toRow((last?.number ?? 0) + 1, signer));
      });
      return keep(signer);
    },
  };
}

function toRow(number: number, { publicKey, pem }: Signer): KeyRow {
  return { number, public_x: publicKey.x, private_pem: pem, created_at: Date.now() };
}

/** The present one first. */
function selectKeys(queries: Queries) {
  return queries<KeyRow>('record_keys').orderBy('number', 'desc').select<KeyRow[]>('*');
}
