// Reading the image that an assistant names by a path, an address or base64 text. Assistants may read only files below
// allowed folders, also through links.
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { readImage } from '../../../calibration/input-files/read-image.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import type { Config } from '../../../config.js';
import type { ImageFetcher } from '../../../service/outbound/fetch-image.js';
import type { FetcherOptions } from '../../../service/outbound/guarded-agent.js';
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { toFileName, toFilePath } from 'telltale-engine/internal/base/files.js';

/** Ways to name an image. Each call uses exactly one. */
interface NamedImage {
  readonly path?: string | undefined;
  readonly url?: string | undefined;
  readonly base64?: string | undefined;
}

type FetchSettings = Pick<Config, 'fetchAllow' | 'fetchProxy'>;

/** Reads the images that one assistant names. */
export class ImageSource {
  readonly boundaries: Boundaries;
  readonly #settings: FetchSettings;
  #fetcher: Promise<ImageFetcher> | null = null;

  /** `settings` are the operator's: the proxy, and private addresses that may be fetched. */
  constructor(boundaries: Boundaries, settings: FetchSettings) {
    this.boundaries = boundaries;
    this.#settings = settings;
  }

  /**
   * Reads the image. Rejects with CheckError if the file is not allowed, or if reading or fetching fails, or
   * with the signal's reason.
   */
  async read({ path, url, base64 }: NamedImage, signal: AbortSignal): Promise<Uint8Array> {
    if ([path, url, base64].filter((argument) => argument !== undefined).length !== 1)
      throw invalidRequest('Expected exactly one of path, url and base64');
    if (path !== undefined)
      return withFileInside(path, this.boundaries, (opened) => readImage(opened, signal));
    return url === undefined ? decode(base64 ?? '') : await this.#fetch(url, signal);
  }

  async close(): Promise<void> {
    await (await this.#fetcher)?.close();
  }

  /**
   * Fetches an image, by default only from public addresses. An assistant follows instructions of web pages,
   * and these must not reach the operator's own network.
   */
  async #fetch(url: string, signal: AbortSignal): Promise<Uint8Array> {
    // Loaded only now, because most calls name a file.
    const { createImageFetcher, requireHttps } = await import('../../../service/outbound/fetch-image.js');
    requireHttps(url);
    this.#fetcher ??= openFetcher(createImageFetcher, this.#settings);
    return (await this.#fetcher).fetch(url, signal);
  }
}

async function openFetcher(
  createImageFetcher: (options: FetcherOptions) => ImageFetcher,
  settings: FetchSettings,
): Promise<ImageFetcher> {
  const { fetcherOf } = await import('../../../service/outbound/guarded-agent.js');
  return createImageFetcher(fetcherOf(settings));
}

function decode(text: string): Uint8Array {
  // Checks the length first, because checking the content of a long text takes time.
  if (text.length > Math.ceil(MAX_IMAGE_BYTES / 3) * 4) throw tooLarge();
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (!isBase64)
    throw new CheckError('invalid_base64', 'base64 is not standard base64 without line breaks, or is empty');
  const bytes = new ByteCollector(MAX_IMAGE_BYTES, 0);
  if (bytes.appendBase64(text)) return bytes.view();
  throw tooLarge();
}

function tooLarge(): CheckError {
  return new CheckError(
    'image_too_large',
    `the image has more than ${MAX_IMAGE_MB} MB (${MAX_IMAGE_BYTES} bytes)`,
  );
}

/** Folders that an assistant may read: a file must be below one of `configuredFolders` and below one of `readRoots`. */
interface Boundaries {
  /** Absolute folders from the command line. If empty, only the client's roots count. */
  readonly configuredFolders: readonly string[];
  /** Returns absolute folders that the client shares. Null if it names none: only `configuredFolders` counts. */
  readonly readRoots: () => Promise<readonly string[] | null>;
}

/** An allowed file or folder. */
interface FileInside {
  readonly realPath: string;
}

/**
 * Resolves a path, relative to the first folder. Rejects with CheckError `forbidden` if the path is outside
 * (then without touching the file system) or a link leads outside, and with `not_found` if nothing is there.
 */
export async function findInside(path: string, boundaries: Boundaries): Promise<FileInside> {
  const limits = await readLimits(boundaries);
  const [first] = limits.flat();
  if (first === undefined) throw outside(limits);
  const absolutePath = resolve(first, path);
  const real = await Promise.all(limits.map(realFolders));
  const isNamed = limits.every((folders, at) => isBelow(absolutePath, [...folders, ...(real[at] ?? [])]));
  if (!isNamed) throw outside(limits);
  const resolvedPath = await realpath(toFilePath(absolutePath), 'buffer').catch((cause: unknown) => {
    throw unreadable(cause);
  });
  const realPath = toFileName(resolvedPath);
  if (!real.every((folders) => isBelow(realPath, folders))) throw ledOutside();
  return { realPath };
}

/**
 * Opens an allowed file and passes `work` a path to it. The path refers to the opened file even if another
 * file replaces it. Rejects as `findInside` and `work` do, and with CheckError `invalid_request` for anything
 * that is not a file.
 */
export async function withFileInside<T>(
  path: string,
  boundaries: Boundaries,
  work: (opened: string) => Promise<T>,
): Promise<T> {
  const { realPath } = await findInside(path, boundaries);
  const handle = await openFile(realPath);
  try {
    const opened = `/proc/self/fd/${handle.fd}`;
    // Checked again, because a folder in the path may have become a link since the path was resolved.
    if (toFileName(await readlink(opened, 'buffer')) !== realPath) throw ledOutside();
    if (!(await handle.stat()).isFile()) throw invalidRequest('Expected the path of a file');
    return await work(opened);
  } finally {
    await handle.close();
  }
}

/** Opens a file without blocking, because opening a pipe would wait for somebody to write to it. */
function openFile(realPath: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  return open(toFilePath(realPath), flags).catch((cause: unknown) => {
    throw unreadable(cause);
  });
}

/** Returns lists of allowed folders. A file must be in a folder of each list; empty lists allow none. */
async function readLimits({
  configuredFolders,
  readRoots,
}: Boundaries): Promise<readonly (readonly string[])[]> {
  const clientRoots = await readRoots();
  if (clientRoots === null) return [configuredFolders];
  return configuredFolders.length === 0 ? [clientRoots] : [configuredFolders, clientRoots];
}

/** Resolves links in folders. Leaves out missing folders, which contain no files. */
async function realFolders(folders: readonly string[]): Promise<readonly string[]> {
  const realPaths = await Promise.all(
    folders.map((folder) => realpath(toFilePath(folder), 'buffer').then(toFileName, () => null)),
  );
  return realPaths.filter((folder) => folder !== null);
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const relativePath = relative(folder, path);
    return relativePath !== '..' && !relativePath.startsWith('../');
  });
}

function outside(limits: readonly (readonly string[])[]): CheckError {
  const folderLists = limits.filter((folders) => folders.length > 0).map((folders) => folders.join(', '));
  const advice =
    folderLists.length === limits.length
      ? `it may read files below ${folderLists.join(' and also below ')}`
      : 'it may read no files: name folders on its command line, or let the assistant share its roots';
  return new CheckError('forbidden', `The path is outside the folders that this server may read; ${advice}`);
}

function ledOutside(): CheckError {
  return new CheckError('forbidden', 'The path contains a link out of the folders that this server may read');
}

function unreadable(cause: unknown): CheckError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new CheckError('not_found', 'there is no such file', { cause });
  if (code === 'ELOOP') return ledOutside();
  return invalidRequest(`the file can't be read (${String(code)})`, { cause });
}
