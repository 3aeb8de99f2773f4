// The check of one picture, from its bytes to the report: the pipeline, read top to bottom.
import type { Engine, InspectOptions } from '../engine/types.js';
import { admitHeader, admitSize } from './limits.js';
import { checkInput } from './check-input.js';
import { newCheckId } from './check-id.js';
import { findCredentials, type CredentialSources } from './credentials/find-credentials.js';
import { startDeadline } from './deadline.js';
import { collectMarks } from './marks/marks.js';
import { bandsOf } from './thresholds/picture-bands.js';
import { roundScore } from './rounding.js';
import { assembleVerdict, decidesAi, strongestFace } from './verdict/verdict.js';
import type { Bands, CheckInput, CheckReport } from './types.js';
import { findAttention } from './verdict/attention.js';
import { findWarnings } from './verdict/warnings.js';

/** What a check works with; built once, shared by all checks. */
export interface CheckDeps extends CredentialSources {
  readonly engine: Engine;
  readonly bands: Bands;
  /** That the bands are for, as `InspectOptions.correction`; default: what the models folder has. */
  readonly correction?: Float64Array | null | undefined;
}

/**
 * Checks one picture. Rejects with CheckError, judged in this order: `image_too_large` (bytes), `unsupported_format`,
 * `image_corrupt`, `image_too_many_pixels` (header), `image_too_small`, `jpeg_quality_too_low`. Then, with the pixels,
 * `image_corrupt`, `overloaded`; and `deadline_exceeded` at any time. Or with the signal's reason if it aborts, or with
 * TypeError if the input is none.
 */
export async function checkImage(deps: CheckDeps, input: CheckInput): Promise<CheckReport> {
  checkInput(input);
  const { bytes, profile = 'balanced', searchPixels = false, heatMap, previewPx, accountId } = input;
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

  const inTime = (): InspectOptions => ({ ...deadline.remaining(), accountId, background: input.background });
  const inspection = decidesAi(credentials)
    ? null
    : await deps.engine.inspect(bytes, {
        ...inTime(),
        heatMap,
        ...(deps.correction && { correction: deps.correction }),
        ...(previewPx !== undefined && { previewPx }),
      });
  const preview =
    inspection === null && previewPx !== undefined
      ? // The verdict stands without it, as credentials do not need pixels that can be read.
        await deps.engine.makePreview(bytes, { ...inTime(), longSidePx: previewPx }).catch(() => null)
      : (inspection?.preview ?? null);
  // One after the other, so that a picture never takes two places of the engine's queue.
  const found =
    inspection !== null && searchPixels
      ? await deps.engine.searchPixels(bytes, inTime())
      : { visible: [], watermarks: [], texts: [] };
  const marks = collectMarks(declared, found, credentials);
  const face = strongestFace(inspection);
  const drawn = inspection && roundScore(inspection.drawn, 0);
  const bands = bandsOf(deps.bands.profiles[profile], drawn);
  const warnings = inspection === null ? [] : findWarnings(image, inspection, bands);
  const verdict = assembleVerdict({ image, credentials, marks, inspection, bands, warnings });
  const sensitive = bandsOf(deps.bands.profiles.sensitive, drawn);
  const attention = findAttention({
    isAi: verdict.isAi,
    warnings,
    marks,
    credentialsRecordAi: credentials?.ai ?? false,
    fullImageScore: inspection?.fullImageScore ?? null,
    faceScore: face?.score ?? null,
    faceCount: inspection?.faces.length ?? 0,
    sensitive: { fullImage: sensitive.fullImage.threshold, face: sensitive.face.threshold },
  });

  return {
    id: newCheckId(),
    ...verdict,
    credentials: credentials ?? { found: false },
    remoteManifest,
    image,
    model: deps.bands.model,
    bandsVersion: deps.bands.version,
    profile,
    fullImageScore: inspection?.fullImageScore ?? null,
    drawn,
    faceScore: face?.score ?? null,
    faceBox: face?.box ?? null,
    faces: inspection?.faces ?? [],
    patches: inspection?.patches ?? [],
    part: inspection?.part ?? null,
    panels: inspection?.panels ?? [],
    panel: inspection?.panel ?? null,
    bands,
    warnings,
    attention,
    colours: inspection?.colours ?? [],
    marks,
    pixelsSearched: inspection !== null && searchPixels,
    preview,
    timings: {
      ...(inspection?.timings ?? { queue: 0, decode: 0, faces: 0, inference: 0 }),
      header: sniffedMs,
      credentials: credentialsMs,
      total: deadline.elapsedMs(),
    },
    views: inspection?.views ?? 0,
  };
}
