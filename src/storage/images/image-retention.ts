// Stores original images for callers who ask for it, for a number of days. Equal images of an account are stored once.
import type { Readable } from 'node:stream';
import { ulid } from 'ulid';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Database, Queries } from '../db/database.js';
import { isUniqueViolation } from '../db/faults.js';
import { repeatInPieces } from '../db/pieces.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import type { ImageStore } from './image-store.js';

/** Time after which a row without a stored file is deleted. It was left by a process that died. */
const UNFINISHED_MS = 3_600_000;
/** Maximum time to wait for the storage. After it, the response is sent without storing the image. */
const PUT_TIMEOUT_MS = 10_000;
/** Number of images read or changed in one statement. */
const PAGE = 200;
/** Number of images deleted concurrently. */
const CONCURRENCY = 4;
/** Time after which deleting an image is tried again if it failed. */
const RETRY_MS = 600_000;

export interface KeptImage {
  readonly id: string;
  /** True if this call stored the image; false if it was stored already. */
  readonly isNew: boolean;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A stored image, opened for reading. */
interface OpenedImage {
  /** A reader that stops before the end must destroy the stream. */
  readonly bytes: Readable;
  readonly format: string;
  readonly sizeBytes: number;
}

/** Stores images and deletes them when their time has ended. */
export interface ImageRetention {
  /** Stores an image until its days have passed, counted from now even if the image was stored before. */
  keep(accountId: string, bytes: Uint8Array, format: string): Promise<KeptImage>;
  /** Deletes an image that `keep` has just stored, if the check that needed it has failed. */
  discard(image: KeptImage): Promise<void>;
  /** Opens a stored image of an account; null if it is no longer stored. */
  open(accountId: string, id: string): Promise<OpenedImage | null>;
  /** Lets the images with these identifiers expire if no check uses them. The next `sweep` deletes them. */
  release(ids: ReadonlySet<string>): Promise<void>;
  /**
   * Deletes expired images: all of them, or only the image `id`. Returns the number of deleted images. If some can't
   * be deleted, deletes the others and then rejects with the first error. A sweep ten minutes later tries again.
   */
  sweep(which?: { readonly id?: string; readonly signal?: AbortSignal }): Promise<number>;
  /** Deletes all images of an account. Rejects like `sweep`. */
  eraseAll(accountId: string): Promise<void>;
}

interface Row {
  id: string;
  account_id: string;
  sha256: string;
  format: string;
  size_bytes: number;
  stored_at: number | null;
  expires_at: number;
}

const keyOf = (row: Pick<Row, 'id' | 'account_id'>): string => `${row.account_id}/${row.id}`;

/**
 * Returns whether an object of a bucket is an image stored by Telltale. Accepts any prefix, because the prefix may
 * have been different earlier.
 */
export function isKeptKey(key: string): boolean {
  return /(?:^|\/)acc_[0-9A-Z]{26}\/img_[0-9A-Z]{26}$/.test(key);
}

/** Creates the storage for images. Writes the row first, so that every file has a row by which it is deleted. */
export function createImageRetention(
  database: Database,
  store: ImageStore,
  retentionDays: number,
): ImageRetention {
  return new StoredImages(database, store, retentionDays * DAY_MS);
}

class StoredImages implements ImageRetention {
  readonly #database: Database;
  readonly #store: ImageStore;
  readonly #retentionMs: number;

  constructor(database: Database, store: ImageStore, retentionMs: number) {
    this.#database = database;
    this.#store = store;
    this.#retentionMs = retentionMs;
  }

  async keep(accountId: string, bytes: Uint8Array, format: string): Promise<KeptImage> {
    const sha256 = await digestBytes(bytes);
    const kept = await this.#findKept(accountId, sha256);
    if (kept) return kept;
    const row: Row = {
      id: `img_${ulid()}`,
      account_id: accountId,
      sha256,
      format,
      size_bytes: bytes.byteLength,
      stored_at: null,
      expires_at: Date.now() + UNFINISHED_MS,
    };
    await this.#images((rows) => rows.insert(row));
    try {
      await this.#store.put(keyOf(row), bytes, AbortSignal.timeout(PUT_TIMEOUT_MS));
      const expiresAt = this.#expiry();
      if (await this.#markStored(row.id, expiresAt)) return { id: row.id, isNew: true, expiresAt };
    } catch (error) {
      // If this fails too, the regular sweep deletes the image.
      await this.#remove(row).catch(() => undefined);
      throw error;
    }
    await this.#remove(row);
    const same = await this.#findKept(accountId, sha256);
    if (same) return same;
    throw new Error('an image was stored and deleted at the same time');
  }

  async discard(image: KeptImage): Promise<void> {
    if (!image.isNew) return;
    // If another request has used the image meanwhile, it has changed the expiry. The image must then stay.
    const claimedRows = await this.#images((rows) =>
      rows
        .where({ id: image.id, expires_at: image.expiresAt })
        .update({ stored_at: null })
        .returning(['id', 'account_id']),
    );
    for (const row of claimedRows) await this.#remove(row);
  }

  async open(accountId: string, id: string): Promise<OpenedImage | null> {
    const row = await this.#images((rows) =>
      rows.where({ id, account_id: accountId }).whereNotNull('stored_at').first(),
    );
    const bytes = row ? await this.#store.open(keyOf(row)) : null;
    return row && bytes ? { bytes, format: row.format, sizeBytes: row.size_bytes } : null;
  }

  async release(ids: ReadonlySet<string>): Promise<void> {
    const all = [...ids];
    for (let at = 0; at < all.length; at += PAGE)
      await this.#images((rows) =>
        rows
          .whereIn('id', all.slice(at, at + PAGE))
          .whereNotNull('stored_at')
          // Spares images used in the last hour: a running request may be about to record a check with one of them. A
          // later expiry comes from an earlier, longer retention.
          .whereNotBetween('expires_at', [this.#expiry() - UNFINISHED_MS, this.#expiry() + UNFINISHED_MS])
          .whereNotExists((checks) => void checks.from('checks').whereRaw('checks.image_id = images.id'))
          .update({ expires_at: Date.now() }),
      );
  }

  async sweep({ id, signal }: { readonly id?: string; readonly signal?: AbortSignal } = {}): Promise<number> {
    return this.#deleteExpired(id === undefined ? {} : { id }, signal);
  }

  async eraseAll(accountId: string): Promise<void> {
    const byAccount = { account_id: accountId };
    await repeatInPieces(
      (limit) =>
        this.#images((rows) => {
          const chosenIds = rows
            .clone()
            .where(byAccount)
            .where('expires_at', '>', 0)
            .limit(limit)
            .select('id');
          return rows.whereIn('id', chosenIds).update({ expires_at: 0 });
        }),
      this.#database,
    );
    await this.#deleteExpired(byAccount);
  }

  /** Deletes the expired images among `which`, several concurrently, until all are deleted. */
  async #deleteExpired(
    which: Partial<Pick<Row, 'id' | 'account_id'>>,
    signal?: AbortSignal,
  ): Promise<number> {
    const errors: unknown[] = [];
    let deleted = 0;
    while (!signal?.aborted) {
      const expired = await this.#images((rows) =>
        rows.where(which).where('expires_at', '<=', Date.now()).limit(PAGE).select(),
      );
      if (expired.length === 0) break;
      const remainingImages = expired.values();
      const work = async (): Promise<void> => {
        for (const row of remainingImages)
          try {
            await this.#deleteOne(row);
            deleted += 1;
          } catch (error) {
            errors.push(error);
            await this.#images((rows) =>
              rows.where({ id: row.id }).update({ stored_at: null, expires_at: Date.now() + RETRY_MS }),
            );
          }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
    }
    if (errors.length > 0) throw errors[0];
    return deleted;
  }

  /**
   * Deletes an image: marks its row as not stored, then deletes the file, then the row. After a crash, a sweep finds
   * the expired row and continues.
   */
  async #deleteOne(row: Row): Promise<void> {
    const claimedRows = await this.#images((rows) =>
      rows.where({ id: row.id }).where('expires_at', '<=', Date.now()).update({ stored_at: null }),
    );
    if (claimedRows === 1) await this.#remove(row);
  }

  async #remove(row: Pick<Row, 'id' | 'account_id'>): Promise<void> {
    await this.#store.delete(keyOf(row));
    await this.#images((rows) => rows.where({ id: row.id }).delete());
  }

  async #findKept(accountId: string, sha256: string): Promise<KeptImage | null> {
    const expiresAt = this.#expiry();
    const [kept] = await this.#images((rows) =>
      rows
        .where({ account_id: accountId, sha256 })
        .whereNotNull('stored_at')
        .where('expires_at', '>', Date.now())
        .update({ expires_at: expiresAt })
        .returning('id'),
    );
    return kept ? { id: kept.id, isNew: false, expiresAt } : null;
  }

  /** Marks an image as stored. Returns false for a duplicate, or if the account is being erased. */
  async #markStored(id: string, expiresAt: number): Promise<boolean> {
    try {
      const marked = await this.#images((rows) =>
        rows.where({ id }).update({ stored_at: Date.now(), expires_at: expiresAt }),
      );
      return marked === 1;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  #images<T>(query: (rows: ReturnType<typeof selectImages>) => PromiseLike<T>): Promise<T> {
    return this.#database.run((queries) => query(selectImages(queries)));
  }

  #expiry(): number {
    return Date.now() + this.#retentionMs;
  }
}

function selectImages(queries: Queries) {
  return queries<Row>('images');
}
