// Functions of the C2PA library. Tests use them to sign, and to show how the library behaves without
// Telltale's settings.
import { createRequire } from 'node:module';
import { findNative } from '../../src/library/engine/native/binding.js';

/** An object inside the library: a reader, a builder or a signer. */
type Handle = object;

/** An image in the form that the library expects. */
export interface SourceAsset {
  readonly buffer: Buffer;
  readonly mimeType: string;
}

type SignAsync = (
  this: Handle,
  signer: Handle,
  input: SourceAsset,
  output: { readonly buffer: null },
) => Promise<{ readonly manifest: Buffer; readonly signedAsset: Buffer }>;

/** The binary of c2pa-node without its JavaScript. */
interface Library {
  readonly readerFromAsset: (asset: SourceAsset, settings: string) => Promise<Handle | null>;
  readonly readerJson: (this: Handle) => string;
  readonly builderWithJson: (manifest: string, settings?: string) => Handle;
  readonly builderAddIngredientFromAsset: (this: Handle, json: string, asset: SourceAsset) => Promise<void>;
  readonly builderSetRemoteUrl: (this: Handle, url: string) => void;
  readonly builderSetNoEmbed: (this: Handle, noEmbed: boolean) => void;
  readonly builderSignAsync: SignAsync;
  readonly builderIdentitySignAsync: SignAsync;
  readonly callbackSignerConfigFromJs: (config: object) => Handle;
  readonly callbackSignerFromConfig: (config: Handle, sign: (data: Buffer) => Promise<Buffer>) => Handle;
  readonly newCallbackCredentialHolder: (
    reserveBytes: number,
    type: string,
    sign: (payload: unknown) => Promise<Buffer>,
  ) => Handle;
  readonly identityBuilderForCredentialHolder: (holder: Handle) => Handle;
  readonly identityBuilderAddReferencedAssertions: (this: Handle, labels: readonly string[]) => void;
  readonly identitySignerNew: (signer: Handle) => Handle;
  readonly identitySignerAddIdentityAssertion: (this: Handle, identity: Handle) => void;
}

export const library = createRequire(import.meta.url)(findNative('c2pa.node')) as Library;

/** Reads the manifest store of an image with the C2PA library directly. Returns null for an image without one. */
export async function readByLibrary(asset: SourceAsset, settings: object): Promise<unknown> {
  const reader = await library.readerFromAsset(asset, JSON.stringify(settings));
  return reader && JSON.parse(library.readerJson.call(reader));
}
