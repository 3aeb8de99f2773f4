// Composing the content of records: of a check, a refused image and an earlier check.
import { bandsOf, mediumOf } from 'telltale-engine/internal/check/thresholds/image-bands.js';
import { roundScore } from 'telltale-engine/internal/base/numbers.js';
import {
  PROFILE_NAMES,
  type Bands,
  type CheckFailure,
  type Mark,
} from 'telltale-engine/internal/check/types.js';
import { type FILE_MARK_KINDS } from 'telltale-engine/internal/check/marks/kinds.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { InspectOptions, Preview, SniffedImage } from 'telltale-engine/internal/engine/types.js';
import { ifUnreadable } from 'telltale-engine/internal/base/errors.js';
import type { PastCheck } from '../../accounts/history/checks.js';
import { cleanScore, cleanText } from './clean.js';
import { rateScore, tierOf, type MeasuredScores } from './rates.js';
import type { RecordContent } from './schema.js';
import type { RecordedDetector } from './schema-sections.js';
import { describeProvenance, type Provenance } from './provenance.js';

/** Longer side in pixels of a record's image, which shows a face on paper and takes some tens of kB. */
export const PREVIEW_PX = 512;
/** Shorter side in pixels below which a face is small. Small faces may have separate rates. */
const SMALL_FACE_PX = 96;

/** File of a checked image, or a file to compare with it. */
export interface OriginalFile {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes as 64 hex digits. */
  readonly sha256: string;
}

/** File of a checked image, and the request that sent it. */
export interface Original extends OriginalFile {
  /** Null for a check without a request, such as on the command line. */
  readonly requestId: string | null;
}

const isOfFile = (mark: Mark): mark is Mark & { readonly kind: (typeof FILE_MARK_KINDS)[number] } =>
  mark.kind !== 'maker';

type Image = RecordContent['picture'];

/** Composes the record of a check that has just been made. */
export async function composeCheck(
  setting: Provenance,
  report: CheckReport,
  original: Original,
): Promise<RecordContent> {
  const bands = setting.calibration.find(report.bandsVersion) ?? setting.calibration.current;
  return {
    type: 'telltale-record',
    version: 1,
    source: 'check',
    id: report.id,
    time: new Date().toISOString(),
    request_id: original.requestId,
    refusal: null,
    verdict: {
      is_ai: report.isAi,
      fired: [...report.fired],
      reason: cleanText(report.reason),
      profile: report.profile,
    },
    picture: describeImage(report.image, original, report.preview),
    scores: composeScores(setting, bands, report),
    faces: report.faces.map(({ box, score, manipulated, generated, confidence }) => ({
      box: [...box],
      score: cleanScore(score),
      manipulated: cleanScore(manipulated),
      generated: cleanScore(generated),
      confidence: cleanScore(confidence),
    })),
    heat_map: report.patches.map(({ box, score }) => ({ box: [...box], score: roundScore(score, 0) })),
    content_credentials: composeCredentials(report.credentials),
    marks: {
      pixels_searched: report.pixelsSearched,
      // Leaves out marks from generator companies' services, because a repeated check can't reproduce them.
      found: report.marks.filter(isOfFile).map(({ kind, generator, says, where, value }) => ({
        kind,
        generator: cleanText(generator),
        says,
        where: cleanText(where),
        value: cleanText(value),
      })),
    },
    warnings: report.warnings.map(({ code, message }) => ({ code, message: cleanText(message) })),
    made_with: await describeProvenance(setting, bands),
  };
}

/** Composes the record of a refused image. */
export async function composeRefusal(
  setting: Provenance,
  { code, message }: CheckFailure,
  original: Original,
): Promise<RecordContent> {
  return {
    ...NOTHING,
    source: 'check',
    id: null,
    time: new Date().toISOString(),
    request_id: original.requestId,
    refusal: { code, message: cleanText(message) },
    picture: describeImage(await sniff(setting, original.bytes), original, null),
    made_with: await describeProvenance(setting, setting.calibration.current),
  };
}

/**
 * Composes the record of a check in the history. `file` is its image, or null if it was not stored. `limits`
 * apply to making a preview of it.
 */
export async function composePast(
  setting: Provenance,
  past: PastCheck,
  file: OriginalFile | null,
  limits: InspectOptions,
): Promise<RecordContent> {
  const image = file && (await sniff(setting, file.bytes));
  const preview =
    file &&
    (await setting.engine.makePreview(file.bytes, { ...limits, longSidePx: PREVIEW_PX }).catch(ifUnreadable));
  const bands = setting.calibration.find(past.bandsVersion);
  const now = await describeProvenance(setting, bands ?? setting.calibration.current);
  const isSameModel = past.model === now.model;
  const measured = measuredOf(setting, past.model);
  const detector = (name: 'fullImage' | 'face', score: number | null): RecordedDetector => ({
    score: cleanScore(score),
    // The whole image's threshold depends on the image domain, which the history does not store.
    thresholds: bands && name === 'face' ? thresholdsOf(bands, name, null) : null,
    rates: image ? ratesOf(measured[name], score, image, []) : null,
  });
  return {
    ...NOTHING,
    source: 'history',
    id: past.id,
    time: past.createdAt.toISOString(),
    request_id: past.requestId,
    verdict: {
      is_ai: past.isAi,
      fired: [...past.fired],
      reason: cleanText(past.reason ?? ''),
      profile: past.profile,
    },
    picture: file ? describeImage(image, file, preview) : NO_IMAGE,
    scores: {
      drawn: null,
      full_image_specialist: detector('fullImage', past.fullImageScore),
      face_specialist: detector('face', past.faceScore),
    },
    made_with: {
      ...now,
      model: past.model,
      bands_version: past.bandsVersion,
      views: isSameModel ? now.views : null,
      files: isSameModel ? now.files : null,
      trust_lists: null,
      arithmetic: null,
    },
  };
}

const NO_IMAGE: Image = {
  sha256: null,
  size_bytes: null,
  format: null,
  width: null,
  height: null,
  orientation: null,
  frames: null,
  jpeg_quality: null,
  perceptual_hash: null,
  preview: null,
};

/** Default values of a record's fields: null until the record has a value for them. */
const NOTHING = {
  type: 'telltale-record',
  version: 1,
  request_id: null,
  refusal: null,
  verdict: null,
  scores: null,
  faces: null,
  heat_map: null,
  content_credentials: null,
  marks: null,
  warnings: null,
} as const;

function describeImage(
  image: SniffedImage | null,
  { bytes, sha256 }: OriginalFile,
  preview: Preview | null,
): Image {
  return {
    ...NO_IMAGE,
    sha256,
    size_bytes: bytes.byteLength,
    ...(image && {
      format: image.format,
      width: image.width,
      height: image.height,
      orientation: image.orientation,
      frames: image.frameCount,
      jpeg_quality: image.jpegQuality,
    }),
    ...(preview && {
      perceptual_hash: preview.perceptualHash,
      preview: {
        width: preview.width,
        height: preview.height,
        jpeg: Buffer.from(preview.jpeg).toString('base64'),
      },
    }),
  };
}

/** Reads the header of an image. Returns null if the image can't be read. */
function sniff({ engine }: Provenance, bytes: Uint8Array): Promise<SniffedImage | null> {
  return engine.sniff(bytes).catch(ifUnreadable);
}

/** Returns the measured scores if they belong to `model`, else nulls. */
function measuredOf({ engine, measured }: Provenance, model: string): Provenance['measured'] {
  return model === engine.model ? measured : { fullImage: null, face: null };
}

function composeScores(setting: Provenance, bands: Bands, report: CheckReport): RecordContent['scores'] {
  const measured = measuredOf(setting, report.model);
  const { fullImageScore, faceScore, image, faces, faceBox, drawn } = report;
  const smallFace = faceBox !== null && Math.min(faceBox[2], faceBox[3]) < SMALL_FACE_PX;
  const faceKind = smallFace ? 'small face' : faces.length > 1 ? 'group face' : 'portrait';
  return {
    drawn,
    full_image_specialist: {
      score: cleanScore(fullImageScore),
      thresholds: thresholdsOf(bands, 'fullImage', drawn),
      rates: ratesOf(measured.fullImage, fullImageScore, image, [mediumOf(drawn ?? 0)]),
    },
    face_specialist: {
      score: cleanScore(faceScore),
      thresholds: thresholdsOf(bands, 'face', drawn),
      rates: ratesOf(measured.face, faceScore, image, [faceKind]),
    },
  };
}

/** Returns the thresholds of one detector in all profiles. Only this function reads thresholds. */
function thresholdsOf(
  { profiles }: Bands,
  detector: 'fullImage' | 'face',
  drawn: number | null,
): NonNullable<RecordedDetector['thresholds']> {
  const [strict, balanced, sensitive] = PROFILE_NAMES.map(
    (name) => bandsOf(profiles[name], drawn)[detector].threshold,
  );
  return { strict: strict ?? 1, balanced: balanced ?? 1, sensitive: sensitive ?? 1 };
}

function ratesOf(
  measured: MeasuredScores | null,
  score: number | null,
  image: SniffedImage,
  kinds: readonly string[],
): RecordedDetector['rates'] {
  return measured === null || score === null ? null : rateScore(measured, score, tierOf(image), kinds);
}

function composeCredentials(
  credentials: CheckReport['credentials'],
): NonNullable<RecordContent['content_credentials']> {
  if (!credentials.found) return { found: false, manifest: null };
  const { state, signer, trustTier, signedAt, ai, aiClaim, tool, claimGenerator } = credentials;
  return {
    found: true,
    manifest: {
      state,
      signer: cleanText(signer),
      trust_tier: trustTier,
      signed_at: cleanText(signedAt),
      ai,
      ai_claim: aiClaim,
      tool: cleanText(tool),
      claim_generator: cleanText(claimGenerator),
      manifests: credentials.manifests.map((label) => cleanText(label)),
      validation_status: credentials.validationCodes.map((code) => cleanText(code)),
      digital_source_types: credentials.digitalSourceTypes.map((type) => cleanText(type)),
    },
  };
}
