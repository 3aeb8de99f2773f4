// Checks an image and searches for known images and earlier checks that show the same image.
import {
  findKnown,
  KnownFault,
  MAX_BLOCK_DIFFERENCE,
  type KnownInput,
  type KnownMatch,
} from '../accounts/seen/known.js';
import { findSeen } from '../accounts/seen/seen.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { CheckDeps } from 'telltale-engine/internal/check/check.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { Details } from 'telltale-engine/internal/check/details-schema.js';
import { admitHeader, admitSize } from 'telltale-engine/internal/check/admit-image.js';
import type { CheckInput } from 'telltale-engine/internal/check/types.js';
import type { Engine, InspectOptions, Scene, SceneHash } from 'telltale-engine/internal/engine/types.js';
import { addKnownReason } from 'telltale-engine/internal/check/verdict/verdict.js';
import type { Database } from '../storage/db/database.js';
import { checkTraced, type Span } from './traces/span.js';

export interface SeenDeps extends CheckDeps {
  readonly database: Database;
  /** True if a match with a known fake makes the verdict AI. */
  readonly knownDecides: boolean;
}

/** The caller, and the days that the history is kept. Hashes are stored in the history. */
type HashingArguments = readonly [
  caller: { readonly accountId: string; readonly keepsHashes?: boolean },
  setting: { readonly historyDays: number },
];

/** Returns the caller's account if hashes of its images are stored, otherwise null. */
export function hashingAccount(
  ...[{ accountId, keepsHashes = false }, { historyDays }]: HashingArguments
): string | null {
  return keepsHashes && historyDays > 0 ? accountId : null;
}

/**
 * Refuses a search for earlier checks if no hashes are stored. Throws CheckError not_configured. `param` is the
 * parameter that requested the search, if there is one.
 */
export function requireHashes(...[caller, setting, param]: [...HashingArguments, param?: 'include']): void {
  if (hashingAccount(caller, setting) !== null) return;
  const hint = caller.keepsHashes
    ? 'this service stores no history (TELLTALE_HISTORY_DAYS=0)'
    : "this account stores no hashes of its images; the operator can change that: 'telltale accounts seen NAME on'";
  const searched = param === undefined ? 'There is no hash to search for' : 'details.seen';
  throw new CheckError('not_configured', `${searched}: ${hint}`, param && { param });
}

/** Report of a check, with the known image and earlier checks. */
interface CheckWithMatches {
  readonly report: CheckReport;
  /** Scene hash to store, or null. */
  readonly hash: SceneHash | null;
  /** Known image and earlier checks, or null if the caller did not request them. */
  readonly seen: NonNullable<Details['seen']> | null;
}

/**
 * Checks an image as `checkTraced` does, then searches for the same image. Without `accountId`, computes no
 * hash and searches for nothing.
 */
export async function checkAndSearch(
  span: Span,
  deps: SeenDeps,
  input: CheckInput,
  { accountId, wantsSeen }: { readonly accountId: string | null; readonly wantsSeen: boolean },
): Promise<CheckWithMatches> {
  if (accountId === null) return { report: await checkTraced(span, deps, input), hash: null, seen: null };
  const report = await checkTraced(span, deps, { ...input, hashScene: true });
  const { scene } = report;
  if (!scene) return { report, hash: null, seen: wantsSeen ? NOT_COMPARABLE : null };
  const matches = await findKnown(deps.database, scene);
  const decisive = deps.knownDecides ? await findDecisive(deps, input, matches) : null;
  const knownImage = decisive ?? matches[0] ?? null;
  return {
    report: knownImage ? addKnownReason(report, knownImage, decisive !== null) : report,
    hash: scene.middle,
    seen: wantsSeen ? await presentSeen(deps.database, accountId, scene, knownImage) : null,
  };
}

/**
 * Returns the nearest known fake that matches the image block by block. Returns null if no fake matches, or
 * if the comparison was not done in time.
 */
async function findDecisive(
  { engine }: SeenDeps,
  { bytes, accountId, background, signal, deadlineMs }: CheckInput,
  matches: readonly KnownMatch[],
): Promise<KnownMatch | null> {
  for (const match of matches) {
    if (match.levels === null) continue;
    const options = {
      accountId,
      background,
      ...(signal && { signal }),
      ...(deadlineMs !== undefined && { deadlineMs }),
    };
    const difference = await engine.compareScenes(bytes, match.levels, options).catch(() => Infinity);
    if (difference <= MAX_BLOCK_DIFFERENCE) return match;
  }
  return null;
}

async function presentSeen(
  database: Database,
  accountId: string,
  scene: Scene,
  knownImage: KnownMatch | null,
): Promise<NonNullable<Details['seen']>> {
  const checks = await findSeen(database, accountId, scene);
  return {
    comparable: true,
    checks: checks.map((check) => ({
      id: check.id,
      created_at: check.createdAt.toISOString(),
      is_ai: check.isAi,
      assessment: check.assessment,
      fired: [...check.fired],
      model: check.model,
      bands_version: check.bandsVersion,
      reported_is_ai: check.reportedIsAi,
      overturned: check.isOverturned,
      ...(check.ref !== null && { ref: check.ref }),
      name: check.name,
      image_stored: check.isImageStored,
      difference: roundShare(check.difference),
    })),
    known: knownImage && {
      id: knownImage.id,
      label: knownImage.label,
      note: knownImage.note,
      source: knownImage.source,
      difference: roundShare(knownImage.difference),
    },
  };
}

/**
 * Returns earlier checks of the same image and the most similar known image, without a check. Throws the errors of a
 * check's image.
 */
export async function searchSeen(
  { engine, database }: Pick<SeenDeps, 'engine' | 'database'>,
  bytes: Uint8Array,
  { accountId, ...limits }: InspectOptions & { readonly accountId: string },
): Promise<NonNullable<Details['seen']>> {
  admitSize(bytes.byteLength);
  admitHeader(await engine.sniff(bytes));
  const scene = await engine.hashScene(bytes, { accountId, ...limits });
  if (!scene) return NOT_COMPARABLE;
  const [knownImage = null] = await findKnown(database, scene);
  return presentSeen(database, accountId, scene, knownImage);
}

const NOT_COMPARABLE = { comparable: false, checks: [], known: null };

const roundShare = (share: number): number => Math.round(share * 1000) / 1000;

/** Longer side of the stored thumbnail of a known image, in pixels. */
const KNOWN_THUMBNAIL_PX = 160;

/**
 * Hashes a known image and draws its thumbnail. Rejects with KnownFault if it shows too little to be recognised, and
 * as the engine does.
 */
export async function readKnown(
  engine: Engine,
  bytes: Uint8Array,
  limits: InspectOptions,
): Promise<KnownInput> {
  admitSize(bytes.byteLength);
  const scene = await engine.hashScene(bytes, limits);
  if (!scene)
    throw new KnownFault(
      'the image has too little detail to be recognised: blank images and a few lines of text on a plain ground resemble many others',
    );
  const { jpeg } = await engine.makePreview(bytes, { ...limits, longSidePx: KNOWN_THUMBNAIL_PX });
  return { scene, thumbnail: jpeg };
}
