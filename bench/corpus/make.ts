// The bench's own test images: made once in a folder that git ignores, and listed with sizes and hashes.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { encode, FORMATS, type Format } from './encode.js';
import { makeScene } from './scene.js';

const FOLDER = fileURLToPath(new URL('../.corpus', import.meta.url));
const PORTRAIT = fileURLToPath(new URL('../../samples/portrait.png', import.meta.url));

/** Version of the images. Increases when the scenes or their encoding change. */
const VERSION = 1;

/** Sizes in pixels, each named by its megapixels. */
const SIZES = [
  { megapixels: 0.08, width: 320, height: 256 },
  { megapixels: 0.3, width: 640, height: 480 },
  { megapixels: 1, width: 1152, height: 864 },
  { megapixels: 4, width: 2304, height: 1728 },
  { megapixels: 12, width: 4000, height: 3000 },
] as const;

/** One of the bench's own image files. */
export interface CorpusFile {
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
  readonly format: Format;
  readonly megapixels: number;
  readonly hasFace: boolean;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A scene of `width` × `height` pixels, with or without a person. */
interface Subject {
  readonly megapixels: number;
  readonly width: number;
  readonly height: number;
  readonly hasFace: boolean;
}

/** Options for making the images. A quick run of the bench needs only small images. */
export interface CorpusOptions {
  readonly isQuick: boolean;
  readonly onFile: (file: CorpusFile) => void;
}

/**
 * Returns the list of images and makes missing files. The same versions of this script and sharp make the same files.
 */
export async function openCorpus({ isQuick, onFile }: CorpusOptions): Promise<CorpusFile[]> {
  const folder = join(FOLDER, `v${VERSION}-sharp-${sharp.versions.sharp}`);
  await mkdir(folder, { recursive: true });
  const portrait = await readFile(PORTRAIT);
  const sizes = SIZES.filter(({ megapixels }) => !isQuick || megapixels <= 1);
  const files: CorpusFile[] = [];
  for (const size of sizes) {
    for (const hasFace of [false, true]) {
      for (const file of await openSubject(folder, { ...size, hasFace }, portrait)) {
        onFile(file);
        files.push(file);
      }
    }
  }
  return files;
}

async function openSubject(folder: string, subject: Subject, portrait: Buffer): Promise<CorpusFile[]> {
  const { megapixels, width, height, hasFace } = subject;
  const nameOf = (format: Format): string => `${megapixels}mp-${hasFace ? 'face' : 'scene'}.${format}`;
  const missing = FORMATS.filter((format) => !existsSync(join(folder, nameOf(format))));
  if (missing.length > 0) {
    const seed = Math.round(megapixels * 100) + (hasFace ? 1 : 0);
    const scene = await makeScene({ seed, width, height, portrait: hasFace ? portrait : null });
    for (const format of missing) {
      // Renames only complete files, so that an interrupted run leaves no partial image.
      const part = join(folder, `${nameOf(format)}.part`);
      await writeFile(part, await encode(scene, format));
      await rename(part, join(folder, nameOf(format)));
    }
  }
  return Promise.all(
    FORMATS.map(async (format) => {
      const path = join(folder, nameOf(format));
      const bytes = await readFile(path);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      return { name: nameOf(format), path, format, megapixels, hasFace, sizeBytes: bytes.length, sha256 };
    }),
  );
}
