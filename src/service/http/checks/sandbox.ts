// Fixed results for sandbox keys, chosen by the option `sandbox` or the file name, without a real check.
import { performance } from 'node:perf_hooks';
import { storeAnswer } from '../../../accounts/usage/idempotency-locks.js';
import { errorFacts, isErrorCode, type ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { aboutParam, CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { newCheckId } from 'telltale-engine/internal/check/report.js';
import { composeReport } from 'telltale-engine/internal/check/check.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { Bands, Credentials } from 'telltale-engine/internal/check/types.js';
import type { Box, Inspection, SniffedImage } from 'telltale-engine/internal/engine/types.js';
import { nameOfSource, type ImageInput, type ImageSource } from '../body/image-input.js';
import { withHeaders, type Outcome } from '../errors/answer-errors.js';
import { ONE_IMAGE } from '../openapi/operation.js';
import { SANDBOX_NAMES, type SANDBOX_RESULTS } from '../openapi/option-schemas.js';
import type { Context } from '../state.js';
import { answerOnce, fingerprintInput } from './idempotency.js';
import type { ResponseShape } from './charge.js';
import { runChecks, type RunDeps } from './run-checks.js';

type ResultName = (typeof SANDBOX_RESULTS)[number];

/**
 * Returns the response to a check as JSON: a fixed response for a sandbox key, else a computed one. Throws
 * the errors of `runChecks`, and CheckError invalid_request if another key asks for a fixed result.
 */
export function answerChecks(
  ctx: Context,
  deps: RunDeps,
  input: ImageInput,
  shape: ResponseShape,
): Promise<string> {
  if (ctx.state.isSandbox) return runSandbox(ctx, deps, input, shape);
  if (input.options.sandbox.length > 0)
    throw invalidRequest(
      "The option 'sandbox' needs a sandbox key (tt_test_...). With this key, images are checked and charged",
      { param: 'sandbox' },
    );
  return runChecks(ctx, deps, input, shape);
}

/**
 * Returns a fixed response. Throws the error that the request asks for, idempotency_mismatch, and CheckError
 * invalid_request for `include=record`, because a signed record would vouch for made-up results.
 */
async function runSandbox(
  ctx: Context,
  deps: RunDeps,
  input: ImageInput,
  shape: ResponseShape,
): Promise<string> {
  const { images, options, params, refs, receivedMs } = input;
  if (options.include.includes('record'))
    throw invalidRequest('Records are not available for sandbox keys. Remove record from include', {
      param: 'include',
    });
  const bands = deps.calibration.current;
  const compose = ({ names, ids, latencyMs, requestId }: SandboxSeed): string => {
    const outcomes = images.map((image, index): Outcome => {
      const error = image.kind === 'refused' ? image.error : errorOf(names[index] ?? '');
      if (error && !isErrorOfOneImage(error.code)) throw error;
      const param = params[index] ?? '';
      if (error) return { kind: 'failed', error: error.status < 500 ? aboutParam(error, param) : error };
      const profile = options.profile ?? deps.profile;
      const composed = composeReport(EVIDENCE[names[index] as ResultName](bands), bands, profile);
      const report = { ...composed, id: ids[index] ?? composed.id };
      const entry = presentCheck(report, { include: options.include, ref: refs[index] ?? null, latencyMs });
      return { kind: 'checked', entry: { ...entry, sandbox: true } };
    });
    return JSON.stringify(shape(outcomes, latencyMs, bands, requestId));
  };
  const seed = await answerOnce(
    ctx,
    deps,
    () => fingerprintInput(ctx.path, input),
    async (attempt) => {
      const drawnSeed: SandboxSeed = {
        names: chooseAnswers(input),
        ids: images.map(() => newCheckId()),
        latencyMs: performance.now() - receivedMs,
        requestId: ctx.state.requestId,
      };
      // Called only because it throws the error that refuses a whole request.
      compose(drawnSeed);
      const text = JSON.stringify(drawnSeed);
      const { lock } = attempt;
      if (lock) {
        await deps.database.transaction((queries) => storeAnswer(queries, lock, text, new Date()));
        attempt.settle();
      }
      return text;
    },
  );
  return compose(JSON.parse(seed) as SandboxSeed);
}

/** Values that differ between fixed responses. Stored for duplicates instead of responses of up to 17 kB. */
interface SandboxSeed {
  /** Name of each image's fixed result. */
  readonly names: readonly string[];
  /** Identifiers of the checks. */
  readonly ids: readonly string[];
  readonly latencyMs: number;
  readonly requestId: string;
}

/**
 * Returns the name of the fixed result for each image: from `sandbox`, else from the image's file name.
 * Throws CheckError invalid_request.
 */
function chooseAnswers({ images, options: { sandbox } }: ImageInput): readonly string[] {
  if (sandbox.length > 1 && sandbox.length !== images.length)
    throw invalidRequest(
      `Expected one value for 'sandbox', or one for each of ${images.length} images, but received ${sandbox.length}`,
      { param: 'sandbox' },
    );
  return images.map((image, index) => sandbox[index] ?? sandbox[0] ?? answerByName(image));
}

/** Pattern for a result's name at the beginning of a file name. Longer names are tried first. */
const BEGINNING = new RegExp(
  `^(${[...SANDBOX_NAMES].sort((a, b) => b.length - a.length).join('|')})(?![a-z])`,
);

/**
 * Returns the fixed result that a file name selects, such as `ai.jpg`, `face-2.png` or
 * `https://example.com/too_small.jpg`. Other names select a genuine image.
 */
function answerByName(image: ImageSource): string {
  const name = nameOfSource(image)?.toLowerCase() ?? '';
  // The name of an address begins with its host, so only the part after the last slash counts.
  return BEGINNING.exec(name.slice(name.lastIndexOf('/') + 1))?.[1] ?? 'genuine';
}

/** Returns the error that a fixed result's name stands for, with its headers, or null for another name. */
function errorOf(name: string): CheckError | null {
  const code = [name, `image_${name}`].find(isErrorCode);
  if (code === undefined) return null;
  const error = new CheckError(code, `sandbox: ${errorFacts(code).meaning}`);
  const headers = HEADERS[code];
  return headers ? withHeaders(error, headers) : error;
}

/** Headers that depend on the request in real responses. Headers that never vary are set elsewhere. */
const HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  rate_limited: { 'Retry-After': '1' },
  unauthorized: { 'WWW-Authenticate': 'Bearer' },
  method_not_allowed: { Allow: 'POST' },
};

/** Returns whether a batch reports an error in the image's entry instead of refusing the whole request. */
function isErrorOfOneImage(code: ErrorCode): boolean {
  return ONE_IMAGE.includes(code) || code === 'internal_error';
}

const IMAGE: SniffedImage = {
  format: 'jpeg',
  width: 1024,
  height: 768,
  orientation: 1,
  frameCount: 1,
  jpegQuality: 90,
  hasManifest: false,
};
/** Side of a heat map cell in pixels. */
const CELL_PX = 256;
const FACE_BOX: Box = [392, 144, 240, 312];
const FAR_BELOW = 0.02;
const FAR_ABOVE = 0.9999;

function inspection(fullImageScore: number, faceScore: number | null = null): Inspection {
  const cells = Array.from({ length: (IMAGE.width / CELL_PX) * (IMAGE.height / CELL_PX) }, (_, at): Box => {
    const columns = IMAGE.width / CELL_PX;
    return [(at % columns) * CELL_PX, Math.floor(at / columns) * CELL_PX, CELL_PX, CELL_PX];
  });
  const face = { box: FACE_BOX, confidence: 0.99, manipulated: faceScore ?? 0, generated: FAR_BELOW };
  return {
    ...{ width: IMAGE.width, height: IMAGE.height, fullImageScore, drawn: 0, panel: null, panels: [] },
    ...{
      isBlank: false,
      isTransparent: false,
      views: 5,
      part: null,
      colours: [],
      preview: null,
      scene: null,
    },
    faces: faceScore === null ? [] : [{ ...face, score: faceScore }],
    patches: cells.map((box) => ({ box, score: fullImageScore })),
    timings: { queue: 0, decode: 0, faces: 0, inference: 0 },
  };
}

const CREDENTIALS: Credentials = {
  ...{ found: true, state: 'verified', verified: true, ai: true, aiClaim: 'generated', aiCounts: true },
  signer: 'Telltale Sandbox',
  trustTier: 'official',
  signedAt: '2026-01-01T00:00:00Z',
  tool: 'Sandbox Imager',
  claimGenerator: 'Sandbox Imager',
  manifests: ['urn:c2pa:sandbox'],
  validationCodes: ['signingCredential.trusted', 'claimSignature.validated'],
  digitalSourceTypes: ['trainedAlgorithmicMedia'],
  softBindings: [],
  chain: [
    {
      label: 'urn:c2pa:sandbox',
      signer: 'Telltale Sandbox',
      claimGenerator: 'Sandbox Imager',
      actions: [
        {
          action: 'c2pa.created',
          when: '2026-01-01T00:00:00Z',
          software: 'Sandbox Imager',
          digitalSourceType: 'trainedAlgorithmicMedia',
        },
      ],
      ingredients: [],
    },
  ],
  generator: null,
};

/** Findings that lead to each fixed result with the active thresholds. */
const EVIDENCE: Readonly<Record<ResultName, (bands: Bands) => Parameters<typeof composeReport>[0]>> = {
  genuine: () => evidenceOf(inspection(FAR_BELOW)),
  ai: () => evidenceOf(inspection(FAR_ABOVE)),
  face: () => evidenceOf(inspection(FAR_BELOW, FAR_ABOVE)),
  credentials: () => ({ ...evidenceOf(null), credentials: CREDENTIALS }),
  // Flagged only by the profile `sensitive`.
  unclear: ({ profiles }) => evidenceOf(inspection(profiles.sensitive.fullImage.photographed.threshold)),
};

function evidenceOf(inspected: Inspection | null) {
  return { image: IMAGE, credentials: null, marks: [], inspection: inspected };
}
