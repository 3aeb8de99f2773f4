// Signs images with Content Credentials, for tests and for the samples.
import { sign } from 'node:crypto';
import { library, type SourceAsset } from './c2pa.js';
import type { Identity } from './certificates.js';

/** IPTC's address of a digital source type. */
export function sourceType(term: string): string {
  return `http://cv.iptc.org/newscodes/digitalsourcetype/${term}`;
}

/** An action as C2PA writes it. */
export type Action = { readonly action: string } & Readonly<Record<string, unknown>>;

/** An image that goes into another one. */
interface IngredientWish {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly relationship: 'parentOf' | 'componentOf' | 'inputTo';
}

/** What is to be signed. */
export interface ManifestWish {
  readonly signer: Identity;
  readonly actions?: readonly Action[];
  /** Further assertions by label. */
  readonly assertions?: Readonly<Record<string, unknown>>;
  readonly ingredients?: readonly IngredientWish[];
  /** Name of the program that signs. */
  readonly generator?: string;
  /** Address of a time-stamp authority. */
  readonly timeStampUrl?: string;
  /** Address where the manifest is said to be; with `embed: false`, the only place. */
  readonly remoteUrl?: string;
  readonly embed?: boolean;
}

/** Bytes kept free for signature, certificates and time stamp. Chosen: all that the tests make fits. */
const SIGNATURE_BYTES = 20_000;

/** No thumbnails: the test images need none, and a signed image stays small. */
const SETTINGS = JSON.stringify({
  builder: { thumbnail: { enabled: false } },
  verify: { remote_manifest_fetch: false, verify_after_sign: false },
  core: { allowed_network_hosts: ['127.0.0.1'] },
});

/** A signed image, and the manifest store that was made for it. */
export interface SignedImage {
  readonly picture: Buffer;
  readonly manifest: Buffer;
}

/** The image with a signed manifest embedded. Rejects if the format can't carry one. */
export async function signImage(image: SourceAsset, wish: ManifestWish): Promise<Buffer> {
  return (await signApart(image, wish)).picture;
}

/** The same with the manifest store beside it, which `embed: false` leaves out of the image. */
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

/** C2PA wants every ingredient of an image named by an action: the parent first, by 'opened', others by 'placed'. */
function allActions({ ingredients = [], actions = [] }: ManifestWish): readonly Action[] {
  const naming = ingredients.map(({ relationship }, index) => ({
    action: relationship === 'parentOf' ? 'c2pa.opened' : 'c2pa.placed',
    parameters: { ingredientIds: [`ingredient-${index}`] },
  }));
  const isOpening = ({ action }: Action): boolean => action === 'c2pa.opened';
  return [...naming.filter(isOpening), ...actions, ...naming.filter((action) => !isOpening(action))];
}

/** The library's signer for an identity's key. */
export function makeSigner({ signer, timeStampUrl }: Pick<ManifestWish, 'signer' | 'timeStampUrl'>): object {
  const config = library.callbackSignerConfigFromJs({
    alg: 'es256',
    certs: signer.chain.map((certificate) => Buffer.from(certificate.toString())),
    reserveSize: SIGNATURE_BYTES,
    directCoseHandling: false,
    ...(timeStampUrl !== undefined && { tsaUrl: timeStampUrl }),
  });
  return library.callbackSignerFromConfig(config, (data) =>
    Promise.resolve(sign('sha256', data, { key: signer.key, dsaEncoding: 'ieee-p1363' })),
  );
}
