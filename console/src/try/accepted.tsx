// Shows the accepted image formats and limits, as the service reports them.
import type { JSX } from 'preact';
import {
  MAX_IMAGE_MB,
  MAX_MEGAPIXELS,
  MAX_SIDE_PX,
  MIN_JPEG_QUALITY,
  MIN_SHORTER_SIDE_PX,
} from '../../../src/library/base/limits.js';

export function Accepted(): JSX.Element {
  return (
    <section aria-labelledby="accepted-title">
      <h2 id="accepted-title" class="minor">
        What is accepted
      </h2>
      <ul class="accepted">
        <li>JPEG, PNG, WebP, AVIF, GIF (first frame), BMP, TIFF, recognised by content</li>
        <li>
          up to {MAX_IMAGE_MB} MB and {MAX_MEGAPIXELS} megapixels, no side over{' '}
          {MAX_SIDE_PX.toLocaleString('en')} px
        </li>
        <li>at least {MIN_SHORTER_SIDE_PX} px on the shorter side</li>
        <li>JPEG from about quality {MIN_JPEG_QUALITY}</li>
        <li>the original file, because a resized or re-saved copy has lost traces</li>
      </ul>
    </section>
  );
}
