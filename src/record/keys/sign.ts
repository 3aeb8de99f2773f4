// Signing a record, and telling whether it is still the one that was signed.
import canonicalize from 'canonicalize';
import { isSignedBy, type PublicKey, type Signer } from './keys.js';
import type { RecordContent, SignedRecord } from '../content/schema.js';

/** The record with its signature. */
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

/** The one of `keys` that the record names; null if none is. */
export function findKey({ signature }: SignedRecord, keys: readonly PublicKey[]): PublicKey | null {
  return keys.find(({ kid }) => kid === signature.key) ?? null;
}

/** Whether the record is, to the last bit of its values, what `key` signed. */
export function isUnchanged({ record, signature }: SignedRecord, key: PublicKey): boolean {
  return isSignedBy(key, canonicalBytes(record), signature.value);
}

/** The JSON file of a record: canonical, on one line. */
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
