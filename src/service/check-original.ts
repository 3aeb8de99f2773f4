// Appeals against a verdict: the original file is compared with the checked image, of which people see a reduced copy, and
// is itself checked.
import { buffer } from 'node:stream/consumers';
import {
  newAppealId,
  requireAttemptLeft,
  type AppealFindings,
  type NewAppeal,
} from '../accounts/appeals/appeals.js';
import { findCheck, type AnsweredCheck, type PastCheck } from '../accounts/history/checks.js';
import { readHash } from '../accounts/seen/seen.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { SceneHash, SceneLocation } from 'telltale-engine/internal/engine/types.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import { PREVIEW_PX } from '../record/content/compose.js';
import type { AppealInRecord } from '../record/content/schema.js';
import { writeJson } from '../record/keys/keys.js';
import { checkTraced, type Span } from './traces/span.js';
import type { RunDeps } from './http/checks/run-checks.js';
import { startDeadline } from 'telltale-engine/internal/check/deadline.js';

/**
 * Maximum share of differing bits between the hashes of the checked image and of a part of the original, if
 * both show the same scene. Chosen with the measurements in docs/seen.md.
 */
const MAX_SCENE_DIFFERENCE_SHARE = 0.25;

/** A check under appeal, with the scene hash of its image for comparison with the original. */
interface AppealTarget {
  /** Link of the sender; null for the account itself. */
  readonly linkId: string | null;
  readonly check: AnsweredCheck;
  readonly hash: SceneHash;
  readonly comparedWith: AppealFindings['compared_with'];
}

/** An appeal to make: the original file and a remark. */
interface AppealRequest {
  readonly bytes: Uint8Array;
  readonly remark: string;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly span: Span;
}

/** Finds a check and its image's hash. Throws CheckError not_found, too_many_appeals, image_not_kept. */
export async function openAppeal(
  deps: RunDeps,
  accountId: string,
  checkId: string,
  linkId: string | null,
): Promise<AppealTarget> {
  const check = await findCheck(deps.database, accountId, checkId);
  if (!check) throw new CheckError('not_found', 'There is no such check. The history may have deleted it');
  await deps.database.run((queries) => requireAttemptLeft(queries, checkId, linkId));
  return { check, linkId, ...(await readCheckedHash(deps, check)) };
}

/**
 * Compares, checks and records an original, without a charge. Returns the appeal for `insertAppeal`, with the
 * record and its preview but without the file. Throws the errors of checking an image.
 */
export async function makeAppeal(
  deps: RunDeps,
  { check, linkId, hash, comparedWith }: AppealTarget,
  { bytes, remark, requestId, signal, span }: AppealRequest,
): Promise<NewAppeal> {
  const { id: checkId, accountId, profile } = check;
  const checking = { ...deps, bands: deps.calibration.current };
  const report = await checkTraced(span, checking, {
    bytes,
    profile,
    signal,
    accountId,
    searchPixels: true,
    heatMap: true,
    previewPx: PREVIEW_PX,
    deadlineMs: deps.deadlineMs,
  });
  const checkedImage = check.answer?.image ?? null;
  const { width, height } = report.image;
  const aspectRatioChange =
    checkedImage === null ? 1 : checkedImage.width / checkedImage.height / (width / height);
  const options = { signal, accountId, deadlineMs: deps.deadlineMs };
  const location = await deps.engine.locateScene(bytes, { hash, shape: aspectRatioChange }, options);
  const findings = describeFindings(check, comparedWith, report, location);
  const id = newAppealId();
  const original = { bytes, sha256: await digestBytes(bytes), requestId };
  const appealInRecord = describeAppeal(id, check, findings);
  const record = writeJson(await deps.recorder.appeal(report, original, appealInRecord));
  const by = linkId === null ? 'account' : 'link';
  return { id, checkId, accountId, createdAt: new Date(), by, linkId, remark, findings, record };
}

function describeAppeal(id: string, check: AnsweredCheck, findings: AppealFindings): AppealInRecord {
  const { compared_with, same_scene, difference, crop } = findings;
  return {
    id,
    against: {
      id: check.id,
      time: check.createdAt.toISOString(),
      is_ai: check.isAi,
      model: check.model,
      bands_version: check.bandsVersion,
    },
    compared_with,
    same_scene,
    difference,
    crop: crop && [...crop],
    decision: null,
  };
}

/**
 * Computes the scene hash of the stored image. If the image is not stored, returns the hash stored with the check.
 * Throws CheckError image_not_kept if neither is stored.
 */
async function readCheckedHash(
  deps: RunDeps,
  { id, accountId, image }: AnsweredCheck,
): Promise<{ hash: SceneHash; comparedWith: 'image' | 'hash' }> {
  const storedImage = image && (await deps.retention.open(accountId, image.id));
  if (storedImage) {
    const options = { accountId, deadlineMs: deps.deadlineMs };
    const scene = await deps.engine.hashScene(await buffer(storedImage.bytes), options);
    if (!scene)
      throw new CheckError(
        'image_not_kept',
        'the checked image has too little detail to be compared with another image',
      );
    return { hash: scene.middle, comparedWith: 'image' };
  }
  const hash = await readHash(deps.database, accountId, id);
  if (hash) return { hash, comparedWith: 'hash' };
  throw new CheckError(
    'image_not_kept',
    "neither the checked image (store=true) nor a hash of it (telltale accounts seen NAME on) is stored, so the original can't be compared",
  );
}

function describeFindings(
  check: AnsweredCheck,
  comparedWith: 'image' | 'hash',
  report: CheckReport,
  { difference, crop }: SceneLocation,
): AppealFindings {
  const { image } = report;
  const checkedImage = check.answer?.image ?? null;
  const isSameScene = difference <= MAX_SCENE_DIFFERENCE_SHARE;
  const { is_ai, fired, reason, scores, content_credentials } = presentCheck(report);
  const camera = report.marks.find(({ says }) => says === 'camera');
  return {
    compared_with: comparedWith,
    same_scene: isSameScene,
    difference: roundToThousandth(difference),
    crop: isSameScene ? crop.map(roundToThousandth) : null,
    original: {
      format: image.format,
      width: image.width,
      height: image.height,
      enlarged:
        checkedImage &&
        roundToThousandth((image.width * image.height) / (checkedImage.width * checkedImage.height)),
      is_ai,
      fired: [...fired],
      reason,
      scores,
      camera: camera ? (camera.generator ?? camera.value) : null,
      content_credentials,
    },
  };
}

const roundToThousandth = (value: number): number => Math.round(value * 1000) / 1000;

/** Longer side of the copy in pixels. */
const LONG_SIDE_PX = 800;

/**
 * Returns the copy as JPEG. Throws CheckError not_found if the image is not stored, and errors of decoding an image.
 */
export async function drawKeptPreview(
  deps: Pick<RunDeps, 'engine' | 'retention' | 'deadlineMs'>,
  { accountId, image }: Pick<PastCheck, 'accountId' | 'image'>,
  signal: AbortSignal,
): Promise<Buffer> {
  const deadline = startDeadline({ signal, deadlineMs: deps.deadlineMs });
  const stored = image && (await deadline.race(deps.retention.open(accountId, image.id)));
  if (!stored) throw new CheckError('not_found', 'No image is stored for this check');
  const bytes = await deadline.race(buffer(stored.bytes));
  const options = { ...deadline.remaining(), accountId, longSidePx: LONG_SIDE_PX };
  return Buffer.from((await deps.engine.makePreview(bytes, options)).jpeg);
}
