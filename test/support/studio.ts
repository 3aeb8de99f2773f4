// Makes signers for tests of credentials: a trusted studio, an unknown stranger, and a time stamp authority.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCredentialReader,
  type CredentialReaderOptions,
  type ManagedCredentialReader,
} from '../../src/library/check/credentials/credentials.js';
import type { ImageFormat } from '../../src/library/engine/types.js';
import { openCertificateShop, type CertificateShop, type Identity } from './certificates.js';
import { signImage, sourceType, type Action, type ManifestWish } from './sign.js';

/** Formats that can contain a manifest, each with the name that C2PA uses and an image. */
export const SIGNABLE = {
  jpeg: { mimeType: 'image/jpeg', file: 'jpeg/scene.jpg' },
  png: { mimeType: 'image/png', file: 'png/scene.png' },
  webp: { mimeType: 'image/webp', file: 'webp/scene.webp' },
  avif: { mimeType: 'image/avif', file: 'avif/scene.avif' },
  gif: { mimeType: 'image/gif', file: 'gif/scene.gif' },
  tiff: { mimeType: 'image/tiff', file: 'tiff/scene.tif' },
} as const satisfies Partial<Record<ImageFormat, { mimeType: string; file: string }>>;

/** A format that can contain a manifest. */
export type SignableFormat = keyof typeof SIGNABLE;

/** All signable formats. */
export const SIGNABLE_FORMATS = Object.keys(SIGNABLE) as readonly SignableFormat[];

/** Name of the tool that makes the studio's AI images. */
export const TOOL = 'Dreamer 2';

/** C2PA action of an AI-generated image. */
export const GENERATED: Action = {
  action: 'c2pa.created',
  digitalSourceType: sourceType('trainedAlgorithmicMedia'),
  softwareAgent: { name: TOOL, version: '2.1' },
};

/** C2PA action of an image taken by a camera. */
export const CAPTURED: Action = {
  action: 'c2pa.created',
  digitalSourceType: sourceType('digitalCapture'),
};

/** Everything that the tests share. `close` removes it. */
export interface Studio {
  readonly shop: CertificateShop;
  readonly root: Identity;
  readonly timeStampRoot: Identity;
  /** Signer whose certificate chain leads over an intermediate authority to the trusted root. */
  readonly signer: Identity;
  /** Signer whose certificate chain leads to an untrusted root. */
  readonly stranger: Identity;
  /** Time stamp authority. */
  readonly timeStamps: Identity;
  /** Folder with the root certificate and the time stamp root as trusted by the operator. */
  readonly trustDir: string;
  readonly reader: ManagedCredentialReader;
  /** Opens a further reader of the same trust folder. It is closed with the studio. */
  openReader(options?: Partial<CredentialReaderOptions>): Promise<ManagedCredentialReader>;
  /** Copies the trust folder without one of its files. The copy is removed with the studio. */
  trustDirWithout(file: string): Promise<string>;
  /** Returns the plain image of a format. */
  picture(format: SignableFormat): Promise<Buffer>;
  /** Returns the image of a format, signed by the studio unless `wish` states otherwise. */
  sign(format: SignableFormat, wish?: Partial<ManifestWish>): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens a studio, which takes about a second. */
export async function openStudio(): Promise<Studio> {
  const shop = openCertificateShop();
  const root = shop.makeRoot('Studio Root');
  const timeStampRoot = shop.makeRoot('Time Stamp Root');
  const authority = shop.issue(root, { commonName: 'Studio Authority', authority: true });
  const signer = shop.issue(authority, { organization: 'Test Studio', commonName: 'Signer 1' });
  const stranger = shop.issue(shop.makeRoot('Unknown Root'), { organization: 'A Stranger' });
  const purpose = 'critical,timeStamping';
  const timeStamps = shop.issue(timeStampRoot, { organization: 'Test Time', purpose });
  const base = await mkdtemp(join(tmpdir(), 'telltale-studio-'));
  const trustDir = await mkdtemp(join(base, 'trust-'));
  await writeFile(join(trustDir, 'studio.pem'), root.certificate.toString());
  await writeFile(join(trustDir, 'studio-tsa.pem'), timeStampRoot.certificate.toString());
  const readers: ManagedCredentialReader[] = [];
  const openReader: Studio['openReader'] = (options) => {
    // Long time limit, so that a busy machine does not turn a valid file into a timeout.
    const reader = createCredentialReader({ trustDir, parallel: 2, timeoutMs: 60_000, ...options });
    readers.push(reader);
    return Promise.resolve(reader);
  };
  const picture: Studio['picture'] = (format) =>
    readFile(new URL(`../fixtures/images/${SIGNABLE[format].file}`, import.meta.url));
  return {
    shop,
    root,
    timeStampRoot,
    signer,
    stranger,
    timeStamps,
    trustDir,
    reader: await openReader(),
    openReader,
    trustDirWithout: async (file) => {
      const dir = await mkdtemp(join(base, 'trust-'));
      await cp(trustDir, dir, { recursive: true });
      await rm(join(dir, file));
      return dir;
    },
    picture,
    sign: async (format, wish) =>
      signImage(
        { buffer: await picture(format), mimeType: SIGNABLE[format].mimeType },
        { signer, actions: [GENERATED], ...wish },
      ),
    close: async () => {
      for (const reader of readers) reader.close();
      await rm(base, { recursive: true, force: true });
      shop.close();
    },
  };
}
