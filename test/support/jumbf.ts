// Writes manifest stores box by box, with signatures that are only good for reading certificates.
import type { X509Certificate } from 'node:crypto';
import { encode, Tagged } from 'cborg';

/** Returns a box: its length in 32 bits, its type and its content. */
export function box(type: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.byteLength);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}

/** Returns a labelled box of boxes. Source: ISO 19566-5, section A.3. */
export function superbox(label: string, ...children: readonly Buffer[]): Buffer {
  const description = Buffer.concat([Buffer.alloc(16), Buffer.from([3]), Buffer.from(`${label}\0`)]);
  return box('jumb', Buffer.concat([box('jumd', description), ...children]));
}

/** Returns a COSE_Sign1 signature with these headers. An empty protected header has no bytes. */
export function coseOf(
  signed: ReadonlyMap<unknown, unknown>,
  unsigned: ReadonlyMap<unknown, unknown> = new Map(),
): Buffer {
  const header = signed.size === 0 ? new Uint8Array() : encode(signed);
  return Buffer.from(encode(new Tagged(18, [header, unsigned, null, new Uint8Array(64)])));
}

/** Returns certificates in the form that COSE uses. */
export function chainOf(...certificates: readonly X509Certificate[]): Uint8Array[] {
  return certificates.map(({ raw }) => new Uint8Array(raw));
}

/** Returns a manifest with the claim signature `cose`. */
export function manifestOf(label: string, cose: Buffer): Buffer {
  return superbox(label, superbox('c2pa.signature', box('cbor', cose)));
}

/** Returns a store of manifests by label, each signed by a chain with the signer first. */
export function storeOf(chains: Readonly<Record<string, readonly X509Certificate[]>>): Buffer {
  const manifests = Object.entries(chains).map(([label, chain]) =>
    manifestOf(label, coseOf(new Map([[33, chainOf(...chain)]]))),
  );
  return superbox('c2pa', ...manifests);
}
