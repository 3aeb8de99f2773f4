// Keys (Ed25519) with which an installation signs records and verifies them, and conversions of their
// formats.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import canonicalize from 'canonicalize';
import { RecordFault } from '../faults.js';
import type { RecordContent, SignedRecord } from '../content/schema.js';

/** A public key as a JSON Web Key (RFC 8037), with its period of validity. */
export interface PublicKey extends KeyPeriod {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes of the public key, in base64url. */
  readonly x: string;
  /**
   * Identifier: the key's thumbprint (RFC 7638). It is computed from the key, so that nobody can use it for
   * another key.
   */
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

/** A JSON Web Key Set, in the form that the service publishes at /.well-known/telltale-keys.json. */
export interface KeySet {
  /** The current signing key first, then its predecessors. */
  readonly keys: readonly PublicKey[];
}

/** A private key that signs records. Only its field `pem` reveals the key. */
export interface Signer {
  readonly publicKey: PublicKey;
  /** The private key in PEM (PKCS #8), for storing it. */
  readonly pem: string;
  /** Returns the signature of `bytes` as 128 hex digits. */
  sign(bytes: Uint8Array): string;
}

/** Keys of an installation, in a file or a database. */
export interface RecordKeys {
  /** Returns the current signing key. Creates one if there is no key yet. */
  signer(): Promise<Signer>;
  /** Returns all public keys: the current one first, then its predecessors. */
  publicKeys(): Promise<readonly PublicKey[]>;
  /** Creates a new signing key. Of the previous key, only the public part stays. */
  rotate(): Promise<Signer>;
  /**
   * Revokes a key, so that none of its records counts any more. Creates a new signing key if the current one
   * was revoked. Rejects with RecordFault if no key has the identifier `kid`.
   */
  revoke(kid: string): Promise<void>;
}

const POINT = /^[A-Za-z0-9_-]{43}$/;

/** Creates a signing key. Its identifier never begins with '-', because commands would take it for an option. */
export function generateSigner(): Signer {
  const signer = signerOf(generateKeyPairSync('ed25519').privateKey);
  return signer.publicKey.kid.startsWith('-') ? generateSigner() : signer;
}

/** Parses a private key in PEM. Throws RecordFault, whose message never contains the PEM text. */
export function readSigner(pem: string): Signer {
  return signerOf(parse(() => createPrivateKey(pem)));
}

/** Parses a public key in PEM. Throws RecordFault. */
export function readPublicPem(pem: string): PublicKey {
  return describePublic(parse(() => createPublicKey(pem)));
}

/** Returns a public key in PEM. */
export function publicPem(key: PublicKey): string {
  return toKeyObject(key).export({ type: 'spki', format: 'pem' }) as string;
}

/** Returns the public key whose 32 bytes in base64url are `x`. Throws RecordFault if `x` is invalid. */
export function publicKeyOf(x: string): PublicKey {
  // Encoded again for comparison, because several last characters of base64url stand for the same bytes.
  const point = Buffer.from(x, 'base64url').toString('base64url');
  if (!POINT.test(x) || point !== x) throw new RecordFault('the key is not an Ed25519 key');
  const thumbprint = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
}

/** Returns whether `signature` (128 hex digits) is a signature of `bytes` by `key`. */
export function isSignedBy(key: PublicKey, bytes: Uint8Array, signature: string): boolean {
  return verify(null, bytes, toKeyObject(key), Buffer.from(signature, 'hex'));
}

function signerOf(privateKey: KeyObject): Signer {
  const publicKey = describePublic(createPublicKey(privateKey));
  return {
    publicKey,
    pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    sign: (bytes) => sign(null, bytes, privateKey).toString('hex'),
  };
}

function describePublic(key: KeyObject): PublicKey {
  if (key.asymmetricKeyType !== 'ed25519') throw new RecordFault('the key is not an Ed25519 key');
  return publicKeyOf(key.export({ format: 'jwk' }).x ?? '');
}

function toKeyObject({ kty, crv, x }: PublicKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}

function parse(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    throw new RecordFault('the key cannot be read');
  }
}

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

/** Times of a key in ISO 8601 and UTC. A missing time is unknown or still to come. */
interface KeyPeriod {
  readonly signs_from?: string;
  readonly signs_until?: string;
  /** Time at which the key was revoked. None of its records counts then, even earlier ones. */
  readonly revoked_at?: string;
}

/** Milliseconds after a change of keys in which other processes may still sign with the previous key. */
export const KEEP_MS = 60_000;
/** Maximum difference between two machines' clocks. Clocks of unattended servers differ by minutes. */
const CLOCK_MS = 5 * 60_000;

const NAMES = ['signs_from', 'signs_until', 'revoked_at'] as const;

/** Reads the period of a published key. Leaves out values that are not times. */
export function readPeriod(key: Readonly<Record<string, unknown>>): KeyPeriod {
  const moments = NAMES.flatMap((name) => {
    const value = key[name];
    return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? [[name, value]] : [];
  });
  return Object.fromEntries(moments) as KeyPeriod;
}

/** Returns a period made of times in milliseconds since 1970. Null stands for an unknown time. */
export function periodOf(fromMs: number | null, untilMs: number | null, revokedMs: number | null): KeyPeriod {
  const moments = [fromMs, untilMs, revokedMs].flatMap((ms, index) =>
    ms === null ? [] : [[NAMES[index], new Date(ms).toISOString()]],
  );
  return Object.fromEntries(moments) as KeyPeriod;
}

/**
 * Returns why the key can't have signed this record, as an ending for a message, or null. A record from the
 * history has the time of its check and is signed later, possibly with a key that is newer than the check.
 */
export function explainWrongPeriod(
  key: KeyPeriod,
  { time, source }: Pick<RecordContent, 'time' | 'source'>,
  nowMs: number,
): string | null {
  const { signs_from: from, signs_until: until, revoked_at: revoked } = key;
  if (revoked !== undefined)
    return `which was revoked on ${revoked.slice(0, 10)}: none of its records counts`;
  const ms = Date.parse(time);
  const first = from === undefined || source === 'history' ? -Infinity : Date.parse(from) - CLOCK_MS;
  const last = (until === undefined ? nowMs : Date.parse(until)) + CLOCK_MS;
  if (ms >= first && ms <= last) return null;
  const span = `${from === undefined ? '' : `from ${from} `}${until === undefined ? 'until now' : `until ${until}`}`;
  return `which signs ${span}, not at ${time}`;
}
