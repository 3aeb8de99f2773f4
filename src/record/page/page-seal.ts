// Embedding a record in its HTML page, and sealing the page: a signature at its end reveals changes.
import { RecordFault } from '../faults.js';
import { isSignedBy, type PublicKey, type Signer } from '../keys/keys.js';

/** The seal of a page: a signature of everything before it. */
export interface PageSeal {
  /** Identifier of the key that signed the page. */
  readonly key: string;
  /** All bytes of the page before the seal. */
  readonly sealed: Buffer;
  /** Signature as 128 hex digits. */
  readonly value: string;
}

const OPENING = '<script type="application/json" id="record">';
const CLOSING = '</script>';
const SEAL = /<!-- telltale-seal ([A-Za-z0-9_-]{43}) ([0-9a-f]{128}) -->\n$/;

/** Returns an HTML element that contains `json`. Escapes `<`, so that no text in it can end the element. */
export function embed(json: string): string {
  return `${OPENING}${json.trimEnd().replaceAll('<', '\\u003c')}${CLOSING}`;
}

/** Returns the page with its seal at the end. */
export function sealPage(page: string, signer: Signer): string {
  const value = signer.sign(Buffer.from(page));
  return `${page}<!-- telltale-seal ${signer.publicKey.kid} ${value} -->\n`;
}

/** Returns the record's JSON in a page, and the page's seal. Throws RecordFault if either is missing. */
export function findEmbedded(page: string): { readonly json: string; readonly seal: PageSeal } {
  const start = page.indexOf(OPENING);
  if (start < 0) throw new RecordFault('This page contains no record, or is truncated before it');
  const end = page.indexOf(CLOSING, start);
  const seal = SEAL.exec(page);
  if (end < 0 || seal === null)
    throw new RecordFault(
      'This page is truncated or was saved by another program: its seal is not at the end',
    );
  return {
    json: page.slice(start + OPENING.length, end),
    seal: { key: seal[1] ?? '', sealed: Buffer.from(page.slice(0, seal.index)), value: seal[2] ?? '' },
  };
}

/** Returns whether the page is unchanged since it was sealed with one of `keys`. */
export function isSealIntact({ key, sealed, value }: PageSeal, keys: readonly PublicKey[]): boolean {
  const sealer = keys.find(({ kid, revoked_at: revoked }) => kid === key && revoked === undefined);
  return sealer !== undefined && isSignedBy(sealer, sealed, value);
}
