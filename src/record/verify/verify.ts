// Verifying a record: its signature, whether an image is the recorded one, and whether a repeated check has
// the same result.
import { countDifferentBits, NEAR_BITS } from 'telltale-engine/internal/base/perceptual-hash.js';
import { PREVIEW_PX, type OriginalFile } from '../content/compose.js';
import { type PublicKey, findKey, isUnchanged, explainWrongPeriod } from '../keys/keys.js';
import { isSealIntact } from '../page/page-sections.js';
import type { ReceivedRecord } from './read-record.js';
import { repeatCheck, type Finding, type Repeating } from './repeat.js';
import type { RecordContent } from '../content/schema.js';

/**
 * Verifies a record. Returns a finding for each aspect; a finding is meaningful only if the previous ones
 * hold. `keys` are the keys to trust. `image` is an image to compare, or null. `repeating` is called only
 * if an image is given; its errors are passed on.
 */
export async function verifyRecord(
  { signed, page }: ReceivedRecord,
  keys: readonly PublicKey[],
  image: OriginalFile | null,
  repeating: () => Promise<Repeating>,
): Promise<readonly Finding[]> {
  const { record, signature } = signed;
  const key = findKey(signed, keys);
  if (key === null)
    return [
      {
        about: 'signature',
        holds: false,
        text: `signed by the key ${signature.key}, which is not among the accepted keys`,
      },
    ];
  if (!isUnchanged(signed, key))
    return [{ about: 'signature', holds: false, text: 'the record was changed after it was signed' }];
  const fault = explainWrongPeriod(key, record, Date.now());
  if (fault !== null)
    return [{ about: 'signature', holds: false, text: `signed by the key ${key.kid}, ${fault}` }];
  const findings: Finding[] = [
    { about: 'signature', holds: true, text: `unchanged since ${record.time}, signed by the key ${key.kid}` },
  ];
  if (page !== null) {
    const holds = isSealIntact(page, keys);
    const text = holds
      ? 'the page is unchanged'
      : 'the page was changed or saved again; the record inside it is unchanged';
    findings.push({ about: 'page', holds, text });
  }
  if (image === null)
    return [
      ...findings,
      { about: 'picture', holds: null, text: 'no image was given to compare with the record' },
    ];
  const { picture: recordedImage } = record;
  if (recordedImage.sha256 === null)
    return [
      ...findings,
      {
        about: 'picture',
        holds: null,
        text: 'the record has no hash of the image, because the image was not stored',
      },
    ];
  if (recordedImage.sha256 !== image.sha256)
    return [...findings, await compareAppearance(record, image, await repeating())];
  return [
    ...findings,
    { about: 'picture', holds: true, text: 'the same file as the recorded one (equal SHA-256)' },
    ...(await repeatCheck(record, image.bytes, await repeating())),
  ];
}

/** Returns whether no aspect failed. */
export function holdsAll(findings: readonly Finding[]): boolean {
  return findings.every(({ holds }) => holds !== false);
}

async function compareAppearance(
  { picture }: RecordContent,
  { bytes }: OriginalFile,
  { setting, limits }: Repeating,
): Promise<Finding> {
  const otherFileText = 'the file is not the recorded one';
  // Decodes the image only if the record has a hash to compare it with.
  const preview =
    picture.perceptual_hash === null
      ? null
      : await setting.engine.makePreview(bytes, { ...limits?.(), longSidePx: PREVIEW_PX }).catch(() => null);
  if (picture.perceptual_hash === null || preview === null)
    return { about: 'picture', holds: false, text: otherFileText };
  const bits = countDifferentBits(picture.perceptual_hash, preview.perceptualHash);
  const appearance = bits <= NEAR_BITS ? 'it may be a copy' : 'it looks different';
  return {
    about: 'picture',
    holds: false,
    text: `${otherFileText}; ${appearance}: ${bits} of 64 bits of the perceptual hash differ`,
  };
}
