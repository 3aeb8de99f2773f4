// Signs images with Content Credentials, for tests and for the samples.
import { sign } from 'node:crypto';
import { encode, Tagged } from 'cborg';
import { library, type SourceAsset } from './c2pa.js';
import type { Identity } from './certificates.js';
import { stampTime } from './time-stamp-authority.js';

/** Returns the address by which IPTC names a digital source type. */
export function sourceType(term: string): string {
  return `http://cv.iptc.org/newscodes/digitalsourcetype/${term}`;
}

/** A C2PA action. */
export type Action = { readonly action: string } & Readonly<Record<string, unknown>>;

/** An ingredient (an image that was used to make the signed image). */
interface IngredientWish {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly relationship: 'parentOf' | 'componentOf' | 'inputTo';
}

/** Content of a manifest to sign. */
export interface ManifestWish {
  readonly signer: Identity;
  readonly actions?: readonly Action[];
  /** Further assertions by label. */
  readonly assertions?: Readonly<Record<string, unknown>>;
  readonly ingredients?: readonly IngredientWish[];
  /** Name of the signing program. */
  readonly generator?: string;
  /** Authority that adds a time stamp to the signature. */
  readonly timeStamps?: Identity;
  /** Address of the manifest that the image states. With `embed: false` the manifest is only there. */
  readonly remoteUrl?: string;
  readonly embed?: boolean;
}

/** Bytes reserved for signature, certificates and time stamp. Chosen: enough for everything that the tests sign. */
const SIGNATURE_BYTES = 20_000;

/** Thumbnails are switched off, because test images don't need them. */
const SETTINGS = JSON.stringify({
  builder: { thumbnail: { enabled: false } },
  verify: { remote_manifest_fetch: false, verify_after_sign: false },
  core: { allowed_network_hosts: ['127.0.0.1'] },
});

/** A signed image and its manifest store. */
export interface SignedImage {
  readonly picture: Buffer;
  readonly manifest: Buffer;
}

/** Returns the image with an embedded signed manifest. Rejects if the format can't contain one. */
export async function signImage(image: SourceAsset, wish: ManifestWish): Promise<Buffer> {
  return (await signApart(image, wish)).picture;
}

/** Returns the signed image and its manifest store separately. `embed: false` leaves the store out of the image. */
export async function signApart(image: SourceAsset, wish: ManifestWish): Promise<SignedImage> {
  const builder = library.builderWithJson(
    JSON.stringify({
      claim_generator_info: [{ name: wish.generator ?? 'Telltale Tests', version: '1' }],
      assertions: [
        {
          label: 'c2pa.actions.v2',
          data: { actions: allActions(wish) },
        },
        ...Object.entries(wish.assertions ?? {}).map(([label, data]) => ({ label, data })),
      ],
    }),
    SETTINGS,
  );
  for (const [index, { bytes, mimeType, relationship }] of (wish.ingredients ?? []).entries()) {
    const description = { title: `ingredient ${index}`, relationship, instance_id: `ingredient-${index}` };
    const asset = { buffer: bytes, mimeType };
    await library.builderAddIngredientFromAsset.call(builder, JSON.stringify(description), asset);
  }
  if (wish.remoteUrl !== undefined) library.builderSetRemoteUrl.call(builder, wish.remoteUrl);
  if (wish.embed === false) library.builderSetNoEmbed.call(builder, true);
  const output = { buffer: null };
  const signed = await library.builderSignAsync.call(builder, makeSigner(wish), image, output);
  return { picture: signed.signedAsset, manifest: signed.manifest };
}

/** C2PA requires that an action names every ingredient: 'opened' for the parent first, 'placed' for others. */
function allActions({ ingredients = [], actions = [] }: ManifestWish): readonly Action[] {
  const naming = ingredients.map(({ relationship }, index) => ({
    action: relationship === 'parentOf' ? 'c2pa.opened' : 'c2pa.placed',
    parameters: { ingredientIds: [`ingredient-${index}`] },
  }));
  const isOpening = ({ action }: Action): boolean => action === 'c2pa.opened';
  return [...naming.filter(isOpening), ...actions, ...naming.filter((action) => !isOpening(action))];
}

/** Returns a signer for the C2PA library that signs with this identity's key. */
export function makeSigner({ signer, timeStamps }: Pick<ManifestWish, 'signer' | 'timeStamps'>): object {
  const config = library.callbackSignerConfigFromJs({
    alg: 'es256',
    certs: signer.chain.map((certificate) => Buffer.from(certificate.toString())),
    reserveSize: SIGNATURE_BYTES,
    directCoseHandling: timeStamps !== undefined,
  });
  return library.callbackSignerFromConfig(config, (data) =>
    timeStamps ? signWithTimeStamp(signer, data, timeStamps) : Promise.resolve(signBytes(signer, data)),
  );
}

/** Returns the ECDSA signature of `data`: 64 bytes, as COSE requires. */
function signBytes(signer: Identity, data: Buffer): Buffer {
  return sign('sha256', data, { key: signer.key, dsaEncoding: 'ieee-p1363' });
}

/** Labels of COSE headers and the algorithm ES256 (RFC 9052, RFC 9053, RFC 9360), and the tag of COSE_Sign1. */
const ALGORITHM = 1;
const CERTIFICATES = 33;
const ES256 = -7;
const COSE_SIGN1 = 18;

/**
 * Returns a COSE_Sign1 structure of SIGNATURE_BYTES with the signature of a claim and a time stamp of the signature
 * ("sigTst2" in the C2PA specification 2.2). Needed because c2pa-node 0.9.8 never asks a time stamp authority.
 */
async function signWithTimeStamp(signer: Identity, claim: Buffer, authority: Identity): Promise<Buffer> {
  const headers = encode(
    new Map<number, unknown>([
      [ALGORITHM, ES256],
      [CERTIFICATES, signer.chain.map(({ raw }) => raw)],
    ]),
  );
  const covered = (context: string, bytes: Uint8Array): Buffer =>
    Buffer.from(encode([context, headers, Buffer.alloc(0), bytes]));
  const signature = signBytes(signer, covered('Signature1', claim));
  // C2PA's library compares the time stamp with this structure.
  const token = await stampTime(covered('CounterSignature', encode(signature)), authority);
  const withPadding = (bytes: number): Buffer => {
    const others = { sigTst2: { tstTokens: [{ val: token }] }, pad: Buffer.alloc(bytes) };
    return Buffer.from(encode(new Tagged(COSE_SIGN1, [headers, others, null, signature])));
  };
  return withPadding(2 * SIGNATURE_BYTES - withPadding(SIGNATURE_BYTES).length);
}
