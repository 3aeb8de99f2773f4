// Ed25519 keys of an installation, which sign and verify records, and their formats.
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

/** Public key as a JSON Web Key (RFC 8037). */
export interface PublicKey extends KeyPeriod {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** Public key's 32 bytes in base64url. */
  readonly x: string;
  /** Thumbprint (RFC 7638). Computed from the key, so that nobody can give a key another key's identifier. */
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

/** JSON Web Key Set, as published at /.well-known/telltale-keys.json. */
export interface KeySet {
  /** Current signing key first, then the keys that it replaced. */
  readonly keys: readonly PublicKey[];
}

/** Signing key. Only `pem` reveals the private key, for the store that keeps it. */
export interface Signer {
  readonly publicKey: PublicKey;
  /** PKCS #8. */
  readonly pem: string;
  /** Returns the signature of `bytes` in 128 hexadecimal digits. */
  sign(bytes: Uint8Array): string;
}

/** Store of an installation's keys. */
export interface RecordKeys {
  /** Returns the current signing key. Creates a key if none exists yet. */
  signer(): Promise<Signer>;
  /** Returns every key that ever signed, the current one first. */
  publicKeys(): Promise<readonly PublicKey[]>;
  /** Creates a new signing key. Keeps only the public part of the previous key. */
  rotate(): Promise<Signer>;
  /**
   * Revokes the key `kid`, so that its records no longer count. Creates a new signing key if `kid` is the current one.
   * Rejects with RecordFault if the key is unknown.
   */
  revoke(kid: string): Promise<void>;
}

const POINT = /^[A-Za-z0-9_-]{43}$/;

/** Generates a signing key. */
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

/** Makes a public key from its 32 bytes `x` in base64url. Throws RecordFault if `x` is invalid. */
export function publicKeyOf(x: string): PublicKey {
  // Encodes the bytes again, because the last base64url character has unused bits that could differ.
  const point = Buffer.from(x, 'base64url').toString('base64url');
  if (!POINT.test(x) || point !== x) throw new RecordFault('a key is no Ed25519 key');
  const thumbprint = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
}

/** Returns whether `signature`, in 128 hexadecimal digits, is the signature of `bytes` by `key`. */
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
  if (key.asymmetricKeyType !== 'ed25519') throw new RecordFault('a key is no Ed25519 key');
  return publicKeyOf(key.export({ format: 'jwk' }).x ?? '');
}

function toKeyObject({ kty, crv, x }: PublicKey): KeyObject {
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
}

function parse(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    throw new RecordFault('a key can not be read');
  }
}
