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
import type { KeyPeriod } from './period.js';
import { RecordFault } from '../faults.js';

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

export function generateSigner(): Signer {
  return signerOf(generateKeyPairSync('ed25519').privateKey);
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
