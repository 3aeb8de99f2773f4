// A PNG of a picture that the browser can't show, such as a TIFF.
import type { Engine } from '../../../engine/types.js';
import { CheckError } from '../../../base/errors.js';
import { startDeadline, type Deadline } from '../../../check/deadline.js';
import { admitHeader } from '../../../check/limits.js';
import { disconnectSignal } from '../../http/errors/answer-errors.js';
import { readImageInput } from '../../http/body/image-input.js';
import type { ConsoleDeps } from '../deps.js';
import { memberOf, type ConsoleContext } from '../state.js';

/** Pixels of the longer side. Chosen: fills a screen, stays small as a file. */
const LONG_SIDE_PX = 1600;

/** An account's picture as a PNG, upright, shrunk to fit a screen, in the time of a check. Errors as a check's. */
export async function drawPreview(
  engine: Engine,
  accountId: string,
  bytes: Uint8Array,
  deadline: Deadline,
): Promise<Buffer> {
  admitHeader(await deadline.race(engine.sniff(bytes)));
  const plain = { faces: [], patches: [], caption: '', longSidePx: LONG_SIDE_PX };
  return Buffer.from(await engine.annotate(bytes, plain, { ...deadline.remaining(), accountId }));
}

/** Handles POST preview: takes a picture as POST checks does, and charges no check. Errors: those of a check's picture. */
export function postPreview({
  engine,
  fetcher,
  deadlineMs,
}: ConsoleDeps): (ctx: ConsoleContext) => Promise<void> {
  return async (ctx) => {
    const { images } = await readImageInput(ctx, 'single');
    const [image] = images;
    if (!image) throw new CheckError('invalid_request', 'Expected one image but received none');
    if (image.kind === 'refused') throw image.error;
    const signal = disconnectSignal(ctx);
    const deadline = startDeadline({ signal, deadlineMs });
    const { accountId } = memberOf(ctx);
    const bytes =
      image.kind === 'bytes'
        ? image.bytes
        : await deadline.race(fetcher.fetch(image.url, signal, { accountId }));
    ctx.type = 'image/png';
    ctx.body = await drawPreview(engine, accountId, bytes, deadline);
  };
}
