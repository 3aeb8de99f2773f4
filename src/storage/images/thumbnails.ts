// Small JPEGs of kept pictures: drawn once, kept beside the picture's row, gone with it.
import type { Database } from '../db/database.js';

/** The thumbnail of an account's kept picture; null where none was drawn so far. */
export async function readThumbnail(
  database: Database,
  accountId: string,
  id: string,
): Promise<Buffer | null> {
  const row = await database.run((queries) =>
    queries<{ id: string; account_id: string; thumbnail: Uint8Array | null }>('images')
      .where({ id, account_id: accountId })
      .first('thumbnail'),
  );
  return row?.thumbnail ? Buffer.from(row.thumbnail) : null;
}

/** Keeps it; nothing where the picture is gone meanwhile. */
export async function keepThumbnail(database: Database, id: string, jpeg: Uint8Array): Promise<void> {
  await database.run((queries) =>
    queries('images')
      .where({ id })
      .update({ thumbnail: Buffer.from(jpeg) }),
  );
}
