// Reads Content Credentials in processes of their own: bounded in number, size and time, with the trust list kept current.
import { CheckError, StartError } from '../../base/errors.js';
import { READER_COUNT } from '../../engine/native/memory.js';
import type { ImageFormat } from '../../engine/types.js';
import { QUARTER_FOR_OTHERS, Semaphore } from '../../base/concurrency/semaphore.js';
import type { ReaderTrust } from './read-manifest.js';
import { ReadingWorker } from './reading-worker.js';
import { describeUnread, FILE_TOO_LARGE, READ_TIMED_OUT } from './unread.js';
import { MAX_IMAGE_BYTES } from '../../base/limits.js';
import { loadTrustList, pickAnchors, type TrustList } from './trust.js';
import type { CredentialReader } from '../types.js';

/** How a reader is built. */
export interface CredentialReaderOptions {
  /** Folder of the trust lists; if it is not given, missing or empty, only shipped lists verify. */
  readonly trustDir?: string | undefined;
  /** Folder of the package's lists; default: none of them counts. */
  readonly shippedTrustDir?: string | null | undefined;
  /** Files read at a time, each in a process of 110 to 300 MB; more wait. Default: half the cores, at least 2, at most 4. */
  readonly parallel?: number;
  /** Milliseconds after which a read ends as `unreadable`. Default 5000. */
  readonly timeoutMs?: number;
  /** Clock, in milliseconds; default: the system's. */
  readonly now?: () => number;
  /** Larger files are `unreadable`. Default: 20 MiB, the check's own limit. */
  readonly maxBytes?: number;
}

/** A credential reader and what it holds. */
export interface ManagedCredentialReader extends CredentialReader {
  /** Starts a reading process unless all are busy. Rejects with StartError `config_invalid` if none can be started. */
  start(): Promise<void>;
  /** Returns the trust list in use, read again after a minute. Rejects with the file system's error if none can be read. */
  trust(): Promise<TrustList>;
  /** Ends all reading processes; reads under way end as `unreadable`. Safe to call twice. */
  close(): void;
}

/** Chosen: far above what any public sample file takes, so that only hostile ones meet it. */
const TIMEOUT_MS = 5000;
/** Chosen: a list that `telltale trust update` fetched is in use within this time, without a restart. */
const RELOAD_MS = 60_000;

/** C2PA's name of each format; BMP can't carry a manifest. */
const MIME_TYPES: Readonly<Record<Exclude<ImageFormat, 'bmp'>, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
  tiff: 'image/tiff',
};

/** Returns a reader that starts processes and loads the trust lists when they are first needed. */
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
      // It waited for as long as it may.
      if (!worker) return describeUnread(READ_TIMED_OUT);
      try {
        return await worker.read({ bytes, mimeType: MIME_TYPES[format], manifest, trust, timeoutMs });
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        throw new CheckError('unavailable', error.message, { cause: error });
      } finally {
        idle.push(worker);
        leave();
      }
    },
    start: async () => idle.at(-1)?.start(),
    trust: async () => (await currentTrust()).list,
    close: () => workers.forEach((worker) => worker.end()),
  };
}

/** The trust lists, and the anchors in them as reading processes get them. */
interface LoadedTrust {
  readonly list: TrustList;
  readonly anchors: ReaderTrust;
}

/** Returns a function that gives the trust lists by `loadList`, loaded again after a minute. */
function keepTrust(loadList: () => Promise<TrustList>, now: () => number): () => Promise<LoadedTrust> {
  let last: LoadedTrust | null = null;
  let current: Promise<LoadedTrust> | null = null;
  let reloadAt = 0;

  async function load(): Promise<LoadedTrust> {
    const list = await loadList();
    // The processes get the anchors again only if they changed.
    if (JSON.stringify(list) !== JSON.stringify(last?.list)) last = { list, anchors: readerTrust(list) };
    return last as LoadedTrust;
  }

  return () => {
    if (current === null || now() >= reloadAt) {
      reloadAt = now() + RELOAD_MS;
      current = load().catch((error: unknown) => {
        // A folder that can't be read for a moment leaves the last good list in use.
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
