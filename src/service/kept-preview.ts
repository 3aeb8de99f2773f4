// Draws a reduced copy of a check's stored image, for people who appeal and for those who decide.
import { buffer } from 'node:stream/consumers';
import type { PastCheck } from '../accounts/history/checks.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { startDeadline } from 'telltale-engine/internal/check/deadline.js';
import type { RunDeps } from './http/checks/run-checks.js';

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
