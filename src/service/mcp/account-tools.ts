// Tools that an AI assistant calls over HTTP with an API key; charged, recorded and limited like `/v1`.
import { noSuchCheck } from '../../accounts/history/remarks.js';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { findCheck, type AnsweredCheck } from '../../accounts/history/checks.js';
import { invalidRequest } from 'telltale-engine/internal/base/errors.js';
import type { Details } from 'telltale-engine/internal/check/details-schema.js';
import { presentBand } from 'telltale-engine/internal/check/present-details.js';
import { bandsOf } from 'telltale-engine/internal/check/thresholds/image-bands.js';
import type { Bands } from 'telltale-engine/internal/check/types.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import { RecordFault } from '../../record/faults.js';
import type { ImageSource } from '../http/body/image-input.js';
import { runCheck, verifyReceived } from '../http/checks/charged-check.js';
import type { RunDeps } from '../http/checks/run-checks.js';
import { asCheckError, ClientDisconnect, disconnectSignal, isFault } from '../http/errors/answer-errors.js';
import { presentPastCheck } from '../http/routes/checks.js';
import { callerOf, type Context } from '../http/state.js';
import { requireHttps } from '../outbound/fetch-image.js';
import {
  answer,
  answerCheck,
  answerFindings,
  answerOrRefuse,
  drawHeatMap,
  withAssessment,
} from './answers.js';
import { detailsFor, explainCheck, type ExplainedCheck } from './explain.js';
import type { ImageRequest, RecordRequest, Tools } from './server.js';

/** Dependencies of the tools for one request. */
interface AccountCall {
  /** Request that has passed `authenticate` and `admit`. */
  readonly ctx: Context;
  readonly deps: RunDeps;
  /** Decodes a value of `base64` to bytes. Throws CheckError invalid_base64, image_too_large. */
  readonly decode: (value: string) => Buffer;
  /** Time when the last byte of the request arrived, by `performance.now()`. */
  readonly receivedMs: number;
}

/** Options of a check that an assistant can't set. */
const FIXED_OPTIONS = { store: false, asksMakers: false, sandbox: [] } as const;

/** Creates tools that accept no paths, because remote assistants must not read files of this machine. */
export function createAccountTools({ ctx, deps, decode, receivedMs }: AccountCall): Tools {
  const answerAndRecord = (work: () => Promise<CallToolResult>): Promise<CallToolResult> =>
    answerOrRefuse(() =>
      work().catch((error: unknown) => {
        recordRefusal(ctx, error);
        throw error;
      }),
    );
  return {
    checkImage: (request) =>
      answerAndRecord(async () => {
        const image = chooseImage(request, decode);
        let bytes = image.kind === 'bytes' ? image.bytes : null;
        const fetcher: RunDeps['fetcher'] = {
          ...deps.fetcher,
          fetch: async (...fetchArguments) => (bytes = await deps.fetcher.fetch(...fetchArguments)),
        };
        const { heatMap, profile = null } = request;
        const json = await runCheck(
          ctx,
          { ...deps, fetcher },
          {
            images: [image],
            params: [image.kind === 'url' ? 'url' : 'base64'],
            options: { ...FIXED_OPTIONS, profile, include: detailsFor({ heatMap }) },
            refs: [null],
            receivedMs,
          },
        );
        const result = JSON.parse(json) as CheckResult;
        // A repeated response has no heat map, because its image was not fetched again.
        const heatMapImage =
          heatMap && bytes !== null ? await drawChargedHeatMap(ctx, deps, bytes, result) : null;
        return answerCheck(result, 'this service', heatMapImage);
      }),
    verifyRecord: ({ record: text, image: file }: RecordRequest) =>
      answerAndRecord(async () => {
        const record = Buffer.from(text);
        const image = file === undefined ? null : decode(file);
        return answerFindings(await verifyReceived(ctx, deps, { record, image, startMs: receivedMs }));
      }),
    explain: (id) =>
      answerAndRecord(async () => {
        const check = await findCheck(deps.database, callerOf(ctx).accountId, id);
        if (!check) throw noSuchCheck();
        const thresholds = thresholdsOf(check, deps.calibration.current);
        const details = thresholds && { details: { thresholds } };
        const result = { ...presentPastCheck(check), ...details } as ExplainedCheck;
        return answer(explainCheck(result), withAssessment(result, result));
      }),
  };
}

/**
 * Returns the thresholds that an earlier check used, or null. They are known while they are active, for checks whose
 * kind of image (photograph or illustration) the history stores.
 */
function thresholdsOf(
  { answer: kept, bandsVersion, profile }: AnsweredCheck,
  bands: Bands,
): Details['thresholds'] | null {
  if (kept?.drawn === undefined || bandsVersion !== bands.version) return null;
  const { fullImage, face } = bandsOf(bands.profiles[profile], kept.drawn);
  return {
    drawn: kept.drawn,
    full_image_specialist: presentBand(fullImage),
    face_specialist: presentBand(face),
  };
}

function chooseImage({ url, base64 }: ImageRequest, decode: (value: string) => Buffer): ImageSource {
  if ((url === undefined) === (base64 === undefined))
    throw invalidRequest('Expected exactly one of url and base64');
  if (url !== undefined) {
    requireHttps(url);
    return { kind: 'url', url };
  }
  return { kind: 'bytes', bytes: decode(base64 ?? ''), fileName: null };
}

/** Draws the heat map of a charged check. Returns null after an error, so that the verdict is not lost. */
async function drawChargedHeatMap(
  ctx: Context,
  deps: RunDeps,
  bytes: Uint8Array,
  result: CheckResult,
): Promise<Uint8Array | null> {
  const { accountId } = callerOf(ctx);
  const limits = { accountId, signal: disconnectSignal(ctx), deadlineMs: deps.deadlineMs };
  return drawHeatMap(deps.engine, bytes, result, limits).catch((error: unknown) => {
    ctx.state.log.warn({ err: error }, 'a heat map could not be drawn');
    return null;
  });
}

/** Records a refusal's error code in log and metrics, because the HTTP status of a refusal is 200. */
function recordRefusal(ctx: Context, thrown: unknown): void {
  // The caller disconnected, so nobody reads the response. The route ends the request.
  if (thrown instanceof ClientDisconnect) return;
  if (thrown instanceof RecordFault) {
    ctx.state.errorCode = 'invalid_request';
    return;
  }
  const error = asCheckError(thrown);
  ctx.state.errorCode = error.code;
  if (isFault(error)) ctx.state.log.error({ err: error.cause ?? error, code: error.code }, 'request failed');
}
