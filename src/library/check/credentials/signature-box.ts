// Reading the signer's certificates from the binary form of a manifest: JUMBF boxes with a COSE signature.
import { X509Certificate } from 'node:crypto';
import { decode } from 'cborg';

/** Labels of the certificate chain in a COSE header. Source: RFC 9360, section 2; C2PA 1.x uses the text. */
const CHAIN_LABELS = [33, 'x5chain'] as const;

/** CBOR tag of COSE_Sign1. Source: RFC 9052, section 4.2. */
const COSE_SIGN1_TAG = 18;

/**
 * Position of the label in a JUMBF description box: after header (8 bytes), type (16) and flags (1). Source:
 * ISO 19566-5, section A.3.
 */
const LABEL_OFFSET = 25;

interface Box {
  readonly type: string;
  readonly content: Uint8Array;
}

/**
 * Returns the certificates with which the manifest `manifestLabel` in a JUMBF store was signed, starting with
 * the signer's own. Returns an empty list if they are missing or unreadable. Never throws.
 */
export function readSigningChain(store: Uint8Array, manifestLabel: string): readonly X509Certificate[] {
  try {
    const manifest = find(childrenOf(readBoxes(store)[0]), manifestLabel);
    const signature = find(childrenOf(manifest), 'c2pa.signature');
    const cose = childrenOf(signature).find(({ type }) => type === 'cbor');
    return cose === undefined ? [] : readChain(cose.content);
  } catch {
    // Not an error, because the library itself reports malformed boxes. Without certificates, no signer is
    // trusted.
    return [];
  }
}

function readBoxes(bytes: Uint8Array): readonly Box[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.byteLength;) {
    const size32 = view.getUint32(at);
    const header = size32 === 1 ? 16 : 8;
    // Size 1 announces a 64-bit size, 0 means the rest of the file. Source: ISO 19566-5, section A.2.
    const size =
      size32 === 1 ? Number(view.getBigUint64(at + 8)) : size32 === 0 ? bytes.byteLength - at : size32;
    if (size < header || at + size > bytes.byteLength) throw new RangeError('a box ends beyond its parent');
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
    boxes.push({ type, content: bytes.subarray(at + header, at + size) });
    at += size;
  }
  return boxes;
}

function childrenOf(superbox: Box | undefined): readonly Box[] {
  return superbox?.type === 'jumb' ? readBoxes(superbox.content) : [];
}

function find(boxes: readonly Box[], label: string): Box | undefined {
  return boxes.find((box) => box.type === 'jumb' && labelOf(box) === label);
}

/** Returns the label of a box: the text up to a zero byte in the description box at its beginning. */
function labelOf({ content }: Box): string {
  const end = content.indexOf(0, LABEL_OFFSET);
  return Buffer.from(content.subarray(LABEL_OFFSET, end)).toString('utf8');
}

/** Accepts only one certificate chain. With two, the library and this code could check different signers. */
function readChain(cose: Uint8Array): readonly X509Certificate[] {
  const [signedBytes, unsigned] = decodeCbor(cose) as [Uint8Array, Map<unknown, unknown>];
  const signed = (signedBytes.length === 0 ? new Map() : decodeCbor(signedBytes)) as Map<unknown, unknown>;
  const chains = [signed, unsigned].flatMap((header) => CHAIN_LABELS.map((label) => header.get(label)));
  const [chain, another] = chains.filter((candidate) => candidate !== undefined);
  if (chain === undefined || another !== undefined) return [];
  return [chain].flat().map((der) => new X509Certificate(der as Uint8Array));
}

function decodeCbor(bytes: Uint8Array): unknown {
  const tags = { [COSE_SIGN1_TAG]: (value: () => unknown) => value() };
  return decode(bytes, { useMaps: true, rejectDuplicateMapKeys: true, tags });
}
