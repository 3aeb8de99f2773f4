// Looks at kept pictures for what is learned from them.
import { buffer } from 'node:stream/consumers';
import { CheckError } from '../../base/errors.js';
import { seePictures, type SeenPictures } from '../../calibration/adaptation/see-pictures.js';
import type { LabelledPicture } from '../../calibration/evaluation/dataset.js';
import type { Engine } from '../../engine/types.js';
import type { ImageRetention } from '../../storage/images/image-retention.js';
import type { Lease } from './lease.js';

/** A kept picture; its path is the identifier of the check, its source that of the account. */
export interface KeptPicture extends LabelledPicture {
  readonly imageId: string;
}

/** What looking works with. */
export interface SeeKeptDeps {
  readonly retention: ImageRetention;
  readonly engine: Engine;
}

/**
 * Looks at them one at a time, after whatever callers wait for; `correction` as of `InspectOptions`. Rejects as
 * `seePictures`.
 */
export async function seeKept(
  { retention, engine }: SeeKeptDeps,
  lease: Lease,
  pictures: readonly KeptPicture[],
  { signal, correction }: { readonly signal: AbortSignal; readonly correction: Float64Array | undefined },
): Promise<SeenPictures> {
  const imageIds = new Map(pictures.map(({ path, imageId }) => [path, imageId]));
  let seen = 0;
  return seePictures(pictures, {
    engine,
    limits: { signal, background: true, correction },
    concurrency: 1,
    onPicture: () => {
      seen += 1;
      lease.note(seen, pictures.length);
      return Promise.resolve();
    },
    read: async ({ path, source }) => {
      const opened = await retention.open(source, imageIds.get(path) ?? '');
      if (!opened) throw new CheckError('not_found', 'the picture is not kept any more');
      return buffer(opened.bytes);
    },
  });
}
