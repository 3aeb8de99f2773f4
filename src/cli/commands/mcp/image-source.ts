// Reading the image that an assistant names: by a file's path, an address or base64 text.
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { readImage } from '../../../calibration/input-files/read-image.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import type { Config } from '../../../config.js';
import type { ImageFetcher } from '../../../service/outbound/fetch-image.js';
import type { FetcherOptions } from '../../../service/outbound/guarded-agent.js';
import { withFileInside, type Boundaries } from './boundaries.js';

/** Ways to name an image. Each call uses exactly one. */
export interface NamedImage {
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
