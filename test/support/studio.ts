// A studio that a reader trusts, a stranger, and a time-stamp authority: all that tests of credentials are signed by.
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
import { startTimeStampAuthority, type TimeStampAuthority } from './time-stamp-authority.js';

/** Formats that can carry a manifest, with C2PA's name and an image of each. */
export const SIGNABLE = {
  jpeg: { mimeType: 'image/jpeg', file: 'jpeg/scene.jpg' },
  png: { mimeType: 'image/png', file: 'png/scene.png' },
  webp: { mimeType: 'image/webp', file: 'webp/scene.webp' },
  avif: { mimeType: 'image/avif', file: 'avif/scene.avif' },
  gif: { mimeType: 'image/gif', file: 'gif/scene.gif' },
  tiff: { mimeType: 'image/tiff', file: 'tiff/scene.tif' },
} as const satisfies Partial<Record<ImageFormat, { mimeType: string; file: string }>>;

/** One of those formats. */
export type SignableFormat = keyof typeof SIGNABLE;

/** All of them. */
export const SIGNABLE_FORMATS = Object.keys(SIGNABLE) as readonly SignableFormat[];

/** The tool that the studio's generated images name. */
export const TOOL = 'Dreamer 2';

/** An image that AI generated, as its first action says. */
export const GENERATED: Action = {
  action: 'c2pa.created',
  digitalSourceType: sourceType('trainedAlgorithmicMedia'),
  softwareAgent: { name: TOOL, version: '2.1' },
};

/** An image that a camera took. */
export const CAPTURED: Action = {
  action: 'c2pa.created',
  digitalSourceType: sourceType('digitalCapture'),
};

/** Everything that the tests share; `close` ends and removes it. */
export interface Studio {
  readonly shop: CertificateShop;
  readonly root: Identity;
  readonly timeStampRoot: Identity;
  /** Below an intermediate authority below the trusted root. */
  readonly signer: Identity;
  /** Below a root that nobody trusts. */
  readonly stranger: Identity;
  readonly timeStamps: TimeStampAuthority;
  /** Folder with the root and the time-stamp root as an operator's own anchors. */
  readonly trustDir: string;
  readonly reader: ManagedCredentialReader;
  /** A further reader of the same trust folder, closed with the studio. */
  openReader(options?: Partial<CredentialReaderOptions>): Promise<ManagedCredentialReader>;
  /** A copy of the trust folder without one of its files, removed with the studio. */
  trustDirWithout(file: string): Promise<string>;
  /** The plain image of a format. */
  picture(format: SignableFormat): Promise<Buffer>;
  /** The image of a format, signed by the studio unless `wish` says otherwise. */
  sign(format: SignableFormat, wish?: Partial<ManifestWish>): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens a studio: about a second. */
export async function openStudio(): Promise<Studio> {
  const shop = openCertificateShop();
  const root = shop.makeRoot('Studio Root');
  const timeStampRoot = shop.makeRoot('Time Stamp Root');
  const authority = shop.issue(root, { commonName: 'Studio Authority', authority: true });
  const signer = shop.issue(authority, { organization: 'Test Studio', commonName: 'Signer 1' });
  const stranger = shop.issue(shop.makeRoot('Unknown Root'), { organization: 'A Stranger' });
  const purpose = 'critical,timeStamping';
  const timeStamps = await startTimeStampAuthority(
    shop.issue(timeStampRoot, { organization: 'Test Time', purpose }),
  );
  const base = await mkdtemp(join(tmpdir(), 'telltale-studio-'));
  const trustDir = await mkdtemp(join(base, 'trust-'));
  await writeFile(join(trustDir, 'studio.pem'), root.certificate.toString());
  await writeFile(join(trustDir, 'studio-tsa.pem'), timeStampRoot.certificate.toString());
  const readers: ManagedCredentialReader[] = [];
  const openReader: Studio['openReader'] = async (options) => {
    // Generous: a busy machine must not make a sound file a timed-out one.
    const reader = createCredentialReader({ trustDir, parallel: 2, timeoutMs: 60_000, ...options });
    readers.push(reader);
    return reader;
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
      await timeStamps.close();
      await rm(base, { recursive: true, force: true });
      shop.close();
    },
  };
}
