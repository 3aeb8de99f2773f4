// Console routes of signed records: showing a record as a web page, and verifying a record.
import { performance } from 'node:perf_hooks';
import { MAX_IMAGE_BYTES } from 'telltale-engine/internal/base/limits.js';
import { type CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { verifyReceived } from '../../http/checks/charged-check.js';
import { imageTooLarge } from '../../http/body/image-input.js';
import { receiveForm } from '../../http/body/multipart.js';
import { announcedBytes, receiveBody } from '../../http/body/receive-body.js';
import { MAX_RECORD_BYTES, readRecord } from '../../../record/verify/read-record.js';
import { holdsAll } from '../../../record/verify/verify.js';
import type { ConsoleContext, Handler } from '../session.js';
import type { Services } from '../../services.js';

/** Maximum bytes of a form's boundaries and part headers. */
const FRAME_BYTES = 16_384;

/** Handles POST records/page: returns the web page of a record. Throws CheckError invalid_request. */
export function postRecordPage({ recorder }: Services): Handler {
  return async (ctx) => {
    const { signed } = readRecord(await receiveRecord(ctx));
    const page = await recorder.page(signed);
    ctx.attachment('record.html');
    ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
    ctx.type = 'html';
    ctx.body = page;
  };
}

/**
 * Handles POST records/verify: verifies the record in the first file of a form, optionally with its image in the
 * second. If the image is the recorded one, the check is repeated and charged. Throws CheckError invalid_request, and
 * the errors of a check.
 */
export function postVerification(deps: Services) {
  return async (ctx: ConsoleContext) => {
    const [record, image] = await receiveFiles(ctx);
    const startMs = performance.now();
    const findings = await verifyReceived(ctx, deps, { record, image, startMs });
    return { holds: holdsAll(findings), findings };
  };
}

async function receiveRecord(ctx: ConsoleContext): Promise<Buffer> {
  const bytes = new ByteCollector(MAX_RECORD_BYTES, announcedBytes(ctx));
  const refuse = (): CheckError => invalidRequest(`a record has at most ${MAX_RECORD_BYTES} bytes`);
  await receiveBody(ctx, { maxBytes: MAX_RECORD_BYTES, refuse }, (chunk) => void bytes.append(chunk));
  return bytes.view();
}

async function receiveFiles(ctx: ConsoleContext): Promise<readonly [record: Buffer, image: Buffer | null]> {
  const refuse = (received: string): CheckError =>
    invalidRequest(`Expected a record and at most its image, in the fields 'files', but received ${received}`); // prettier-ignore
  const limit = {
    maxBytes: MAX_RECORD_BYTES + MAX_IMAGE_BYTES + FRAME_BYTES,
    refuse: (bytes: number) =>
      invalidRequest(
        `a record has at most ${MAX_RECORD_BYTES} bytes and an image ${MAX_IMAGE_BYTES}; these files have ${bytes}`,
      ),
  };
  const { images: files } = await receiveForm(ctx, limit, {
    imageName: 'files',
    maxImages: 2,
    refuseMore: () => refuse('more'),
    expectedBytes: undefined,
  });
  const [record, image = null] = files;
  if (!record) throw refuse('none');
  if (image && image.byteLength > MAX_IMAGE_BYTES) throw imageTooLarge();
  return [record, image];
}
