// Where a file without Content Credentials says that they are: an address in XMP, which nobody here follows.
import type { MetadataText } from '../../engine/types.js';
import { readXmp } from './xmp.js';

const LONGEST = 2048;

/** The address of `dcterms:provenance` as it is written; null if no packet has an absolute http or https one. */
export function findRemoteManifest(texts: readonly MetadataText[]): string | null {
  for (const { where, text } of texts) {
    // Most packets lack it: searching costs less than reading.
    if (where !== 'xmp' || !text.includes('provenance')) continue;
    const found = readXmp(text).find((one) => one.where === 'xmp:dcterms:provenance')?.text ?? '';
    if (/^https?:\/\/[\x21-\x7e]+$/.test(found) && found.length <= LONGEST && URL.canParse(found))
      return found;
  }
  return null;
}
