// Ed25519 keys of an installation: what signs records, what verifies them, and how both are written.
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

/** A public key as a JSON Web Key (RFC 8037). */
export interface PublicKey extends KeyPeriod {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes in base64url. */
  readonly x: string;
  /** Thumbprint (RFC 7638): it follows from the key, so nobody can give a key the name of another. */
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
}

/** Keys as /.well-known/telltale-keys.json publishes them: a JSON Web Key Set. */
export interface KeySet {
  /** The one that signs first, then those that it followed. */
  readonly keys: readonly PublicKey[];
}

/** A key that signs. Its private part leaves it by `pem` alone, for the store that keeps it. */
export interface Signer {
  readonly publicKey: PublicKey;
  /** PKCS #8. */
  readonly pem: string;
  /** The signature of `bytes`, 128 hexadecimal digits. */
  sign(bytes: Uint8Array): string;
}

/** Where an installation keeps its key. */
export interface RecordKeys {
  /** The key that signs now; made if there is none yet. */
  signer(): Promise<Signer>;
  /** Every key that ever signed, the present one first. */
  publicKeys(): Promise<readonly PublicKey[]>;
  /** Has a new key sign from now on; of the one before only the public part stays. */
  rotate(): Promise<Signer>;
  /**
   * No record by the key `kid` counts any more; if it is the one that signs, a new one does. Rejects with RecordFault
   * if there is no such key.
   */
  revoke(kid: string): Promise<void>;
}

const POINT = /^[A-Za-z0-9_-]{43}$/;

/** A new key. */
export function generateSigner(): Signer {
  return signerOf(generateKeyPairSync('ed25519').privateKey);
}

/** The key of a PEM text. Throws RecordFault, which never repeats the text. */
export function readSigner(pem: string): Signer {
  return signerOf(parse(() => createPrivateKey(pem)));
}

/** The public key of a PEM text. Throws RecordFault. */
export function readPublicPem(pem: string): PublicKey {
  return describePublic(parse(() => createPublicKey(pem)));
}

/** Its PEM. */
export function publicPem(key: PublicKey): string {
  return toKeyObject(key).export({ type: 'spki', format: 'pem' }) as string;
}

/** The public key of the 32 bytes `x`, in base64url. Throws RecordFault if they are none. */
export function publicKeyOf(x: string): PublicKey {
  // Written anew: the last character has bits that mean nothing.
  const point = Buffer.from(x, 'base64url').toString('base64url');
  if (!POINT.test(x) || point !== x) throw new RecordFault('a key is no Ed25519 key');
  const thumbprint = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x });
  const kid = createHash('sha256').update(thumbprint).digest('base64url');
  return { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' };
}

/** Whether `signature`, 128 hexadecimal digits, is the one of `bytes` by `key`. */
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
