// The check of one image, from its bytes to the report, as a sequence of steps in `checkImage`.
import { Type, type TSchema } from '@sinclair/typebox';
import { ifUnreadable } from '../base/errors.js';
import { exactly, oneOf, requireOptions, valueThat } from '../base/shape.js';
import { INSPECT_OPTIONS } from '../engine/native/options.js';
import type { Inspection, PixelMarks, Preview, Scene } from '../engine/findings.js';
import type { Engine, InspectOptions } from '../engine/types.js';
import { admitHeader, admitSize } from './admit-image.js';
import { newCheckId, type CheckReport } from './report.js';
import { findCredentials, type CredentialSources } from './credentials/find-credentials.js';
import { startDeadline, type Deadline } from './deadline.js';
import { collectMarks } from './marks/marks.js';
import { bandsOf } from './thresholds/image-bands.js';
import { roundScore } from '../base/numbers.js';
import { strongestFace, type Evidence } from './verdict/reasons.js';
import { assembleVerdict, decidesAi, describeVerdict } from './verdict/verdict.js';
import { PROFILE_NAMES, type Bands, type CheckInput, type ProfileName } from './types.js';
import { findAttention } from './verdict/attention.js';
import { quoteName } from './verdict/quoted-name.js';
import { findWarnings } from './verdict/warnings.js';

/** Maximum characters of a remote manifest's address in a report. The whole address is fetched. */
const MAX_ADDRESS_CHARACTERS = 200;

export const CheckInputSchema = exactly({
  ...INSPECT_OPTIONS,
  bytes: valueThat(
    (value) => value instanceof Uint8Array,
    "an image's bytes (Uint8Array; of a file, read it first, such as by 'await readFile(path)')",
  ),
  profile: Type.Optional(oneOf(PROFILE_NAMES)),
  searchPixels: Type.Optional(Type.Boolean()),
  findMarks: Type.Optional(valueThat((value) => typeof value === 'function', 'a function')),
} satisfies Record<keyof CheckInput, TSchema>);

/** Dependencies of a check, created once and shared by all checks. */
export interface CheckDeps extends CredentialSources {
  readonly engine: Engine;
  readonly bands: Bands;
}

/**
 * Checks one image. Rejects with CheckError, in the order of the steps: `image_too_large` (number of bytes),
 * `unsupported_format`, `image_corrupt`, `image_too_many_pixels` (header), `image_too_small`,
 * `jpeg_quality_too_low`, then `image_corrupt`, `overloaded` (pixels). Rejects with `deadline_exceeded` or
 * the signal's reason at any time, and with TypeError for invalid input.
 */
export async function checkImage(deps: CheckDeps, input: CheckInput): Promise<CheckReport> {
  requireOptions(CheckInputSchema, input, 'input');
  const { bytes, profile = 'balanced', searchPixels = false, accountId } = input;
  const deadline = startDeadline(input);

  admitSize(bytes.byteLength);
  const image = await deadline.race(deps.engine.sniff(bytes));
  admitHeader(image);

  const declared = await deadline.race(deps.engine.readMetadata(bytes));

  const sniffedMs = deadline.elapsedMs();
  const { credentials, remoteManifest } = await findCredentials(
    deps,
    { bytes, image, declared, accountId },
    deadline,
  );
  const credentialsMs = deadline.elapsedMs() - sniffedMs;

  const { inspection, preview, scene, pixelMarks } = await inspectPixels(
    deps,
    input,
    deadline,
    decidesAi(credentials),
  );
  // The services of generator companies come last, so that none is called, or paid, for a refused image.
  const makerMarks = input.findMarks ? await deadline.race(input.findMarks(image)) : [];
  const marks = collectMarks(declared, pixelMarks, credentials, makerMarks);
  const report = composeReport({ image, credentials, marks, inspection }, deps.bands, profile);

  return {
    ...report,
    remoteManifest: remoteManifest && quoteName(remoteManifest, MAX_ADDRESS_CHARACTERS),
    pixelsSearched: inspection !== null && searchPixels,
    preview,
    scene,
    timings: {
      ...report.timings,
      header: sniffedMs,
      credentials: credentialsMs,
      total: deadline.elapsedMs(),
    },
  };
}

/** Returns the report of evidence that was collected already. Its timings cover only the inspection. */
export function composeReport(
  evidence: Pick<Evidence, 'image' | 'credentials' | 'marks' | 'inspection'>,
  bands: Bands,
  profile: ProfileName,
): CheckReport {
  const { image, credentials, marks, inspection } = evidence;
  const decided = {
    ...decide(evidence, bands.profiles, profile),
    profile,
    thresholds: bands,
    fullImageScore: inspection?.fullImageScore ?? null,
  };
  return {
    id: newCheckId(),
    ...decided,
    reason: describeVerdict(decided),
    credentials: credentials ?? { found: false },
    remoteManifest: null,
    image,
    model: bands.model,
    bandsVersion: bands.version,
    faces: inspection?.faces ?? [],
    patches: inspection?.patches ?? [],
    part: inspection?.part ?? null,
    panels: inspection?.panels ?? [],
    panel: inspection?.panel ?? null,
    colours: inspection?.colours ?? [],
    marks,
    pixelsSearched: false,
    preview: null,
    scene: null,
    timings: {
      ...(inspection?.timings ?? { queue: 0, decode: 0, faces: 0, inference: 0 }),
      header: 0,
      credentials: 0,
      total: 0,
    },
    views: inspection?.views ?? 0,
  };
}

/** Results of the steps that decode the image. */
interface PixelEvidence {
  /** Scores and faces, or null if the credentials decided, so that no detector ran. */
  readonly inspection: Inspection | null;
  readonly preview: Preview | null;
  readonly scene: Scene | null;
  /** Signs of generators in the pixels; empty if they were not searched for. */
  readonly pixelMarks: PixelMarks;
}

async function inspectPixels(
  { engine }: CheckDeps,
  input: CheckInput,
  deadline: Deadline,
  isDecided: boolean,
): Promise<PixelEvidence> {
  const { bytes, searchPixels = false, heatMap, previewPx, hashScene, accountId, background } = input;
  const inTime = (): InspectOptions => ({ ...deadline.remaining(), accountId, background });
  const inspection = isDecided
    ? null
    : await engine.inspect(bytes, {
        ...inTime(),
        heatMap,
        hashScene,
        ...(previewPx !== undefined && { previewPx }),
      });
  const preview =
    inspection === null && previewPx !== undefined
      ? // The credentials have decided, so an unreadable image only means that there is no preview.
        await engine.makePreview(bytes, { ...inTime(), longSidePx: previewPx }).catch(ifUnreadable)
      : (inspection?.preview ?? null);
  const scene =
    inspection === null && hashScene
      ? await engine.hashScene(bytes, inTime()).catch(ifUnreadable)
      : (inspection?.scene ?? null);
  // Runs after the inspection and not concurrently, so that an image never uses two of the engine's permits.
  const pixelMarks =
    inspection !== null && searchPixels
      ? await engine.searchPixels(bytes, inTime())
      : { visible: [], watermarks: [] };
  return { inspection, preview, scene, pixelMarks };
}

/** Decides the verdict with its reasons, and whether the image deserves a closer look. */
function decide(
  evidence: Pick<Evidence, 'image' | 'credentials' | 'marks' | 'inspection'>,
  profiles: Bands['profiles'],
  profile: ProfileName,
) {
  const { image, credentials, marks, inspection } = evidence;
  const face = strongestFace(inspection);
  const drawn = inspection && roundScore(inspection.drawn, 0);
  const bands = bandsOf(profiles[profile], drawn);
  const warnings = inspection === null ? [] : findWarnings(image, inspection, bands);
  const verdict = assembleVerdict({ ...evidence, bands, warnings });
  const sensitive = bandsOf(profiles.sensitive, drawn);
  const attention = findAttention({
    isAi: verdict.isAi,
    warnings,
    marks,
    credentialsRecordAi: credentials?.ai ?? false,
    isTampered: credentials?.state === 'tampered',
    isKnownFake: false,
    fullImageScore: inspection?.fullImageScore ?? null,
    faceScore: face?.score ?? null,
    faceCount: inspection?.faces.length ?? 0,
    sensitive: { fullImage: sensitive.fullImage.threshold, face: sensitive.face.threshold },
  });
  const faceScore = face?.score ?? null;
  return { ...verdict, drawn, faceScore, faceBox: face?.box ?? null, bands, warnings, attention };
}
