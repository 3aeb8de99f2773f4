// Signing records and verifying their signatures.
import canonicalize from 'canonicalize';
import { isSignedBy, type PublicKey, type Signer } from './keys.js';
import type { RecordContent, SignedRecord } from '../content/schema.js';

/** Signs a record. */
export function signRecord(record: RecordContent, signer: Signer): SignedRecord {
  return {
    record,
    signature: {
      algorithm: 'Ed25519',
      key: signer.publicKey.kid,
      value: signer.sign(canonicalBytes(record)),
    },
  };
}

/** Returns the key with which a record was signed, or null if it is not in `keys`. */
export function findKey({ signature }: SignedRecord, keys: readonly PublicKey[]): PublicKey | null {
  return keys.find(({ kid }) => kid === signature.key) ?? null;
}

/** Returns whether the record contains exactly the values that `key` signed. */
export function isUnchanged({ record, signature }: SignedRecord, key: PublicKey): boolean {
  return isSignedBy(key, canonicalBytes(record), signature.value);
}

/** Returns the text of a record's JSON file: in canonical form (one spelling per value), on one line. */
export function writeJson(signed: SignedRecord): string {
  return `${canonicalText(signed)}\n`;
}

function canonicalText(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('an object has a canonical form');
  return text;
}

function canonicalBytes(record: RecordContent): Buffer {
  return Buffer.from(canonicalText(record));
}
