// Known images: the operator lists them as AI-generated or genuine. Responses mention them for accounts that store
// hashes.
import { ulid } from 'ulid';
import type { Scene } from 'telltale-engine/internal/engine/types.js';
import { RequestFault } from 'telltale-engine/internal/base/errors.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import type { KnownLabel } from 'telltale-engine/internal/check/types.js';
import type { Database } from '../../storage/db/database.js';
import { audit } from '../audit.js';
import { columnsOf, findNear } from './scene-index.js';

/** Maximum number of characters of the operator's note. */
export const MAX_KNOWN_NOTE = 200;
/** Maximum number of characters of the address of a page about the image. */
export const MAX_SOURCE = 500;
/** Maximum number of matches in a result. Several known cards with the same layout can match one image. */
const MAX_MATCHES = 5;

/**
 * Maximum difference, measured by `compareScenes`, at which a known fake may decide the verdict. Lies between
 * two measurements: nine of ten copies of photographs differ by up to 0.07. Cards with the same layout but
 * other names and numbers differ by 0.16 or more.
 */
export const MAX_BLOCK_DIFFERENCE = 0.12;

/**
 * Maximum difference of the hashes of two files that are listed as one image. Chosen: half of the least difference
 * between drawn cards with different texts, which is 29 of 255 bits.
 */
const MAX_DUPLICATE_DIFFERENCE = 14 / 255;

/** The operator's statement about a known image. */
export interface KnownFacts {
  readonly label: KnownLabel;
  /** The operator's note; may be empty. */
  readonly note: string;
  /** URL of a page about the image; null if the operator named no page. */
  readonly source: string | null;
}

export interface KnownImage extends KnownFacts {
  /** `kno_` followed by a ULID. */
  readonly id: string;
  readonly createdAt: Date;
  /** True for a fake whose grey levels are stored. It may decide a verdict if the service's settings allow that. */
  readonly canDecide: boolean;
  /** False for images that version 1.2.0 or earlier added. */
  readonly hasThumbnail: boolean;
}

/** A known image that looks the same as the checked image. */
export interface KnownMatch extends KnownImage {
  /** Share of the hashes' bits that differ, from 0 to 1. */
  readonly difference: number;
  /** Grey levels that must confirm the match before it decides a verdict; null if it never decides. */
  readonly levels: Uint8Array | null;
}

/** Error for a request about known images that can't be carried out. Its message is shown to the operator. */
export class KnownFault extends RequestFault {
  override readonly name = 'KnownFault';
}

interface KnownRow {
  id: string;
  label: string;
  note: string;
  source: string | null;
  created_at: number;
  /** Grey levels in Base64. */
  levels: string | null;
  /** 1 if a thumbnail is stored. Only in lists. */
  has_thumbnail?: number;
}

/** Stored data of a known image. */
export interface KnownInput {
  readonly scene: Scene;
  /** A small JPEG. */
  readonly thumbnail: Uint8Array;
}

/**
 * Adds a known image. Throws KnownFault for an invalid note or source, and for an image that is listed already.
 */
export async function addKnown(
  database: Database,
  { label, note, source }: KnownFacts,
  { scene, thumbnail }: KnownInput,
): Promise<KnownImage> {
  if (note.length > MAX_KNOWN_NOTE || visibleText(note) !== note)
    throw new KnownFault(`Expected a note of at most ${MAX_KNOWN_NOTE} printable characters`);
  if (
    source !== null &&
    !(source.length <= MAX_SOURCE && /^https?:\/\/\S+$/.test(source) && URL.canParse(source))
  )
    throw new KnownFault(`Expected an http or https address of at most ${MAX_SOURCE} characters as source`);
  await requireNew(database, scene);
  const { middle, levels } = scene;
  const row: KnownRow = {
    id: `kno_${ulid()}`,
    label,
    note,
    source,
    created_at: Date.now(),
    levels: Buffer.from(levels).toString('base64'),
  };
  await database.transaction(async (queries) => {
    await queries('known_images').insert({ ...row, ...columnsOf(middle), thumbnail: Buffer.from(thumbnail) });
    const change = { accountId: null, subject: row.id, after: { label, note, source } };
    await audit(queries, database.actor, { what: 'known_image.added', ...change });
  });
  return readRow({ ...row, has_thumbnail: 1 });
}

/**
 * Throws KnownFault if the image is listed already. Images without grey levels are ignored, because version 1.2.0
 * added them and they must be added again to decide a verdict.
 */
async function requireNew(database: Database, scene: Scene): Promise<void> {
  const near = await findNear(database, 'known_images', null, { ...scene, windows: [scene.middle] });
  const ids = near.filter(({ difference }) => difference <= MAX_DUPLICATE_DIFFERENCE).map(({ id }) => id);
  const row = await database.run((queries) =>
    queries<KnownRow>('known_images').whereIn('id', ids).whereNotNull('levels').first(),
  );
  if (!row) return;
  const about = row.note === '' ? '' : `: ${row.note}`;
  throw new KnownFault(
    `This image is already listed as ${row.label} (${row.id}${about}). Remove that entry first to change it`,
  );
}

/** Returns the thumbnail of a known image; null if it has none. */
export async function readKnownThumbnail(database: Database, id: string): Promise<Buffer | null> {
  const row = await database.run((queries) =>
    queries<{ id: string; thumbnail: Uint8Array | null }>('known_images').where({ id }).first('thumbnail'),
  );
  return row?.thumbnail ? Buffer.from(row.thumbnail) : null;
}

const COLUMNS = ['id', 'label', 'note', 'source', 'created_at', 'levels'] as const;

/** Returns all known images, oldest first. */
export async function listKnown(database: Database): Promise<KnownImage[]> {
  const rows = await database.run((queries) =>
    queries('known_images')
      .orderBy('id')
      .select<KnownRow[]>(
        ...COLUMNS,
        queries.raw('(case when thumbnail is null then 0 else 1 end) as has_thumbnail'),
      ),
  );
  return rows.map(readRow);
}

/** Removes a known image. Throws KnownFault if it does not exist. */
export async function removeKnown(database: Database, id: string): Promise<void> {
  await database.transaction(async (queries) => {
    const row = await queries<KnownRow>('known_images').where({ id }).forUpdate().first();
    if (!row) throw new KnownFault(`there is no known image '${visibleText(id.slice(0, 40))}'`);
    await queries('known_images').where({ id }).delete();
    const { label, note, source } = row;
    const change = { accountId: null, subject: id, before: { label, note, source } };
    await audit(queries, database.actor, { what: 'known_image.removed', ...change });
  });
}

/** Returns the known images that look the same as `scene`, most similar first. */
export async function findKnown(database: Database, scene: Scene): Promise<KnownMatch[]> {
  const near = (await findNear(database, 'known_images', null, scene)).slice(0, MAX_MATCHES);
  if (near.length === 0) return [];
  const rows = await database.run((queries) =>
    queries<KnownRow>('known_images')
      .whereIn(
        'id',
        near.map(({ id }) => id),
      )
      .select(...COLUMNS),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return near.flatMap(({ id, difference }) => {
    const row = byId.get(id);
    if (!row) return [];
    const knownImage = readRow(row);
    const levels = knownImage.canDecide && row.levels !== null ? Buffer.from(row.levels, 'base64') : null;
    return [{ ...knownImage, difference, levels }];
  });
}

function readRow(row: KnownRow): KnownImage {
  const { id, label, note, source, created_at: createdAt, levels, has_thumbnail: hasThumbnail = 0 } = row;
  return {
    id,
    label: label === 'fake' ? 'fake' : 'genuine',
    note,
    source,
    createdAt: new Date(createdAt),
    canDecide: label === 'fake' && levels !== null,
    hasThumbnail: hasThumbnail === 1,
  };
}

/** Returns a known image in the form of the JSON response. */
export function presentKnown(image: KnownImage): KnownFacts & {
  readonly id: string;
  readonly created_at: string;
  readonly can_decide: boolean;
  readonly has_thumbnail: boolean;
} {
  const { id, label, note, source, createdAt, canDecide, hasThumbnail } = image;
  const facts = { id, label, note, source, created_at: createdAt.toISOString() };
  return { ...facts, can_decide: canDecide, has_thumbnail: hasThumbnail };
}
