// Shows how the original of an appeal compares with the checked image.
import type { JSX } from 'preact';
import type { Static } from '@sinclair/typebox';
import type { AppealSchema } from '../../../src/service/http/openapi/appeal-schemas.js';
import { asSentence, formatAnyScore } from '../format.js';

/** Facts about an appeal: how similar the two images are, and the detectors' results for the original. */
export type ShownFindings = Pick<Static<typeof AppealSchema>, 'comparison' | 'original'>;

const ONE_DECIMAL = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** Draws the facts about an appeal as a list. */
export function AppealFacts({ findings }: { findings: ShownFindings }): JSX.Element {
  const { comparison, original } = findings;
  const { content_credentials: credentials, scores } = original;
  return (
    <dl class="facts">
      <dt>Same scene</dt>
      <dd>
        {comparison.same_scene ? 'yes' : 'no: it is another image, or a mirrored, rotated or cropped one'}
        {comparison.crop !== null && describeCrop(comparison.crop)}
      </dd>
      <dt>Original</dt>
      <dd>
        {original.format.toUpperCase()}, {original.width} × {original.height} px
        {original.enlarged !== null && describeSize(original.enlarged)}
      </dd>
      <dt>Detectors on it</dt>
      <dd>
        {asSentence(original.reason)} Whole image {formatAnyScore(scores.full_image_specialist)}, face{' '}
        {formatAnyScore(scores.face_specialist)}.
      </dd>
      <dt>Camera</dt>
      <dd>{original.camera === null ? 'none is named' : `${original.camera} (unsigned)`}</dd>
      <dt>Content Credentials</dt>
      <dd>
        {credentials.found
          ? `${credentials.verified ? 'verified' : 'not verified'}, signed by ${credentials.signer ?? 'an unreadable signer'}, ${credentials.ai ? 'record AI' : 'record no AI'}`
          : 'none'}
      </dd>
    </dl>
  );
}

function describeSize(enlarged: number): string {
  if (Math.abs(enlarged - 1) < 0.05) return ', as many pixels as the checked image';
  return `, ${ONE_DECIMAL.format(enlarged)} times the pixels`;
}

function describeCrop([, , width = 1, height = 1]: readonly number[]): string {
  const shownPercent = Math.round(100 * width * height);
  return shownPercent >= 99 ? '' : `; the checked image shows ${shownPercent}% of the original`;
}
