// What xAI's Grok writes into EXIF: a signature and an identifier. Either alone is too little; both together nobody else writes.
import type { Mark } from '../types.js';
import type { Declaration } from './declaration.js';

const SIGNATURE = /^Signature: ?[A-Za-z0-9+/_-]{40,}={0,2}$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** The pair as a mark; null unless both are there. The value is the signature as it is written. */
export function findXaiSignature(declarations: readonly Declaration[]): Mark | null {
  const fits = (places: readonly string[], pattern: RegExp): Declaration | undefined =>
    declarations.find(({ where, text }) => places.includes(where) && pattern.test(text.trim()));
  const signature = fits(['exif:ImageDescription', 'exif:UserComment'], SIGNATURE);
  if (!signature || !fits(['exif:Artist'], UUID)) return null;
  return {
    kind: 'job_id',
    generator: 'Grok',
    says: 'generated',
    where: signature.where,
    value: signature.text.trim(),
  };
}
