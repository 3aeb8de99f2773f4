// Kept pictures of a call that came to nothing.
import { CheckError } from '../../../base/errors.js';
import type { ImageRetention, KeptImage } from '../../../storage/images/image-retention.js';

/** Takes back what was kept for a call that is refused: nobody paid for it, and nobody would find it. */
export async function discardKept(
  retention: ImageRetention,
  checked: readonly ({ readonly kept: KeptImage | null } | CheckError)[],
): Promise<void> {
  const kept = new Map<string, KeptImage>();
  for (const one of checked) {
    if (one instanceof CheckError || !one.kept) continue;
    const { id, isNew, expiresAt } = one.kept;
    const twin = kept.get(id);
    // The second of two equal pictures finds the first one kept, and puts off when it expires.
    kept.set(id, {
      id,
      isNew: isNew || (twin?.isNew ?? false),
      expiresAt: Math.max(expiresAt, twin?.expiresAt ?? 0),
    });
  }
  await Promise.allSettled([...kept.values()].map((image) => retention.discard(image)));
}
