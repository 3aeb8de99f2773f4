// Stores images if callers ask for it, and discards them if the request is refused.
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { ImageRetention, KeptImage } from '../../../storage/images/image-retention.js';
import { callerOf, type Context } from '../state.js';

/** Stores an image. If storing fails, logs the error and returns null, because the check still succeeds. */
export async function keepImage(
  ctx: Context,
  retention: ImageRetention,
  bytes: Buffer,
  { image: { format } }: Pick<CheckReport, 'image'>,
): Promise<KeptImage | null> {
  const { accountId } = callerOf(ctx);
  try {
    return await ctx.state.stages.time('store', () => retention.keep(accountId, bytes, format));
  } catch (error) {
    ctx.state.log.error({ err: error }, 'an image could not be kept');
    return null;
  }
}

/** Discards the stored images of a refused request. */
export async function discardKept(
  retention: ImageRetention,
  images: readonly (KeptImage | null)[],
): Promise<void> {
  const keptImages = new Map<string, KeptImage>();
  for (const image of images) {
    if (image === null) continue;
    const { id, isNew, expiresAt } = image;
    const same = keptImages.get(id);
    // If a request contains an image twice, the second one finds the first and extends its retention.
    keptImages.set(id, {
      id,
      isNew: isNew || (same?.isNew ?? false),
      expiresAt: Math.max(expiresAt, same?.expiresAt ?? 0),
    });
  }
  await Promise.allSettled([...keptImages.values()].map((image) => retention.discard(image)));
}
