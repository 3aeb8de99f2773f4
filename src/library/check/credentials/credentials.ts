// Reading Content Credentials in a limited number of separate processes, each with limited time and memory.
import { CheckError, StartError } from '../../base/errors.js';
import { READER_COUNT } from '../../engine/native/options.js';
import type { ImageFormat } from '../../engine/types.js';
import { listenForAbort, QUARTER_FOR_OTHERS, Semaphore } from '../../base/concurrency.js';
import type { ReaderTrust } from './read-manifest.js';
import { ReadingWorker } from './reading-worker.js';
import { describeUnread, FILE_TOO_LARGE, READ_TIMED_OUT } from './find-credentials.js';
import { MAX_IMAGE_BYTES } from '../../base/limits.js';
import { loadTrustList, pickAnchors, type TrustList } from './trust.js';
import type { CredentialReader } from '../types.js';

export interface CredentialReaderOptions {
  /** Folder of trust lists (certificates of trusted signers); default: only the package's lists are used. */
  readonly trustDir?: string | undefined;
  /** Folder of the package's trust lists; default: none. */
  readonly shippedTrustDir?: string | null | undefined;
  /**
   * Maximum number of reading processes, each of 110 to 300 MB. Further files wait. Default: half the cores,
   * at least 2 and at most 4.
   */
  readonly parallel?: number;
  /** Milliseconds after which reading a file stops and the file counts as `unreadable`; default 5000. */
  readonly timeoutMs?: number;
  /** Clock that returns milliseconds; default: the system's clock. */
  readonly now?: () => number;
  /** Maximum bytes of a file; larger files count as `unreadable`. Default: 20 MiB, the limit of a check. */
  readonly maxBytes?: number;
}

/** A credential reader that owns its processes. */
export interface ManagedCredentialReader extends CredentialReader {
  /** Starts a reading process unless all are busy. Rejects with StartError `config_invalid` if it fails. */
  start(): Promise<void>;
  /**
   * Returns the current trust lists, read at most a minute ago. Rejects with the file system's error if they
   * are unreadable.
   */
  trust(): Promise<TrustList>;
  /** Ends all reading processes. Files that are being read count as `unreadable`. Safe to call twice. */
  close(): void;
}

/**
 * Default time limit. Chosen far above the time for any public sample file, so that only hostile files reach
 * the limit.
 */
const TIMEOUT_MS = 5000;
/** Milliseconds after which the trust lists are read again, so that an update needs no restart. */
const RELOAD_MS = 60_000;

/** Name of each format for C2PA's library. BMP is missing because it can't contain a manifest. */
const MIME_TYPES: Readonly<Record<Exclude<ImageFormat, 'bmp'>, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  tiff: 'image/tiff',
};

/** Returns a credential reader. It starts processes and loads the trust lists when they are first needed. */
export function createCredentialReader(options: CredentialReaderOptions): ManagedCredentialReader {
  const {
    trustDir = null,
    shippedTrustDir,
    timeoutMs = TIMEOUT_MS,
    maxBytes = MAX_IMAGE_BYTES,
    parallel = READER_COUNT,
    now = Date.now,
  } = options;
  const idle = Array.from({ length: parallel }, () => new ReadingWorker());
  const workers = [...idle];
  const semaphore = new Semaphore({
    keptForOthers: QUARTER_FOR_OTHERS,
    permits: parallel,
    queueLimit: Infinity,
    refuse: () => new Error('never: it has no end and is not closed'),
  });
  const currentTrust = keepTrust(() => loadTrustList(trustDir, shippedTrustDir), now);

  return {
    async read(bytes, { format }, reading = {}) {
      const { signal = new AbortController().signal, accountId, manifest = null } = reading;
      if (format === 'bmp') return null;
      if (bytes.byteLength > maxBytes) return describeUnread(FILE_TOO_LARGE);
      const { anchors: trust } = await currentTrust();
      const leave = await semaphore.enter(signal, accountId).catch(() => null);
      const worker = leave && idle.pop();
      // The caller's time was over before a process became free.
      if (!worker) return describeUnread(READ_TIMED_OUT);
      const work = worker
        .read({ bytes, mimeType: MIME_TYPES[format], manifest, trust, timeoutMs })
        .catch((error: unknown) => {
          if (!(error instanceof StartError)) throw error;
          throw new CheckError('unavailable', error.message, { cause: error });
        })
        .finally(() => {
          idle.push(worker);
          leave();
        });
      // An abort ends only the wait. The process finishes the file and is then free for the next one.
      return new Promise((resolve, reject) => {
        const stopListening = listenForAbort(signal, () => resolve(describeUnread(READ_TIMED_OUT)));
        void work.then(resolve, reject).finally(stopListening);
      });
    },
    start: async () => idle.at(-1)?.start(),
    trust: async () => (await currentTrust()).list,
    close: () => workers.forEach((worker) => worker.end()),
  };
}

/** The trust lists, and their certificates in the form that reading processes need. */
interface LoadedTrust {
  readonly list: TrustList;
  readonly anchors: ReaderTrust;
}

/** Returns a function that returns the trust lists. It loads them by `loadList`, and again after a minute. */
function keepTrust(loadList: () => Promise<TrustList>, now: () => number): () => Promise<LoadedTrust> {
  let last: LoadedTrust | null = null;
  let current: Promise<LoadedTrust> | null = null;
  let reloadAt = 0;

  async function load(): Promise<LoadedTrust> {
    const list = await loadList();
    // Reading processes reload the certificates for each new object, so the object is replaced only if the
    // lists have changed.
    if (JSON.stringify(list) !== JSON.stringify(last?.list)) last = { list, anchors: readerTrust(list) };
    return last as LoadedTrust;
  }

  return () => {
    if (current === null || now() >= reloadAt) {
      reloadAt = now() + RELOAD_MS;
      current = load().catch((error: unknown) => {
        // If the folder becomes unreadable, the last valid lists stay in use.
        if (last !== null) return last;
        current = null;
        throw error;
      });
    }
    return current;
  };
}

function readerTrust(list: TrustList): ReaderTrust {
  const signers = (tier: string): readonly string[] =>
    pickAnchors(list, (file) => file.purpose === 'signing' && file.tier === tier);
  return {
    signing: { official: signers('official'), operator: signers('operator'), interim: signers('interim') },
    timeStamp: pickAnchors(list, (file) => file.purpose === 'time_stamp' && file.tier !== 'interim'),
  };
}
