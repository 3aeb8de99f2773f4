// A bands file of an operator's own, as models/bands.json is written.
import { createHash } from 'node:crypto';
import type { Band, Bands } from '../../check/types.js';

/** Names that may stand in the version of bands or of a model. */
export const OWN_NAME = /^[0-9A-Za-z](?:[0-9A-Za-z-]{0,30}[0-9A-Za-z])?$/;

/** The bands under a version of their own: the day, the operator's name for them, and a digest of what they say. */
export function nameBands({ model, profiles }: Omit<Bands, 'version'>, name: string, madeAt: Date): Bands {
  const digest = createHash('sha256')
    .update(JSON.stringify([model, profiles]))
    .digest('hex');
  return { version: `${madeAt.toISOString().slice(0, 10)}+${name}.${digest.slice(0, 8)}`, model, profiles };
}

/** The file's text; `loadBands` reads it. */
export function formatBands({ version, model, profiles }: Bands): string {
  const band = ({ threshold, falseAlarmRate, recall }: Band): object => ({
    threshold,
    false_alarm_rate: falseAlarmRate,
    recall,
  });
  const content = {
    version,
    model,
    profiles: Object.fromEntries(
      Object.entries(profiles).map(([profile, { fullImage, face }]) => [
        profile,
        {
          full_image_specialist: {
            photographed: band(fullImage.photographed),
            drawn: band(fullImage.drawn),
          },
          face_specialist: band(face),
        },
      ]),
    ),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
