// The program of a reading process: takes one job at a time, responds with the findings, and ends with its parent.
import type { Credentials } from '../types.js';
import type * as Library from './read-manifest.js';
import { describeUnread, READER_FAILED } from './unread.js';

/** A file to read; its bytes arrive by standard input. */
export interface ReadingJob {
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Number of bytes of a separate manifest store, sent before the file; 0 without one. */
  readonly manifestBytes: number;
  /** Anchors, if they are new since the last job of this process. */
  readonly trust?: Library.ReaderTrust;
}

/** The first message of a process. */
export interface StartMessage {
  /** Reason why the C2PA library does not load, or null if the process is ready. */
  readonly fault: string | null;
}

/** The response to a job; null without a manifest. */
export interface ReadingAnswer {
  readonly credentials: Credentials | null;
  /** True if the process holds far more memory than ordinary files need. */
  readonly isGrown: boolean;
}

/**
 * Private bytes after which a process is replaced. Chosen: ordinary files leave 110 to 130 MB (measured), the largest
 * up to 190.
 */
const GROWN_BYTES = 180_000_000;

let trust: Library.PreparedTrust | null = null;

async function work(
  { prepareTrust, readManifest }: typeof Library,
  job: ReadingJob,
): Promise<Credentials | null> {
  const manifest = job.manifestBytes > 0 ? await receive(job.manifestBytes) : null;
  const bytes = await receive(job.sizeBytes);
  if (job.trust) trust = prepareTrust(job.trust);
  if (trust === null) return describeUnread(READER_FAILED);
  return readManifest({ bytes, mimeType: job.mimeType, manifest }, trust);
}

/** Reads exactly `sizeBytes` of standard input. The parent sends the next job only after the response. */
function receive(sizeBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  // Nothing is sent for an empty file, so nothing would arrive.
  if (sizeBytes === 0) return Promise.resolve(bytes);
  return new Promise((resolve) => {
    let received = 0;
    const onData = (chunk: Buffer): void => {
      const copied = chunk.copy(bytes, received);
      received += copied;
      if (received < sizeBytes) return;
      process.stdin.off('data', onData).pause();
      // The file follows its manifest without a pause.
      if (copied < chunk.byteLength) process.stdin.unshift(chunk.subarray(copied));
      resolve(bytes);
    };
    process.stdin.on('data', onData).resume();
  });
}

process.on('disconnect', () => process.exit(0));
try {
  const library = await import('./read-manifest.js');
  process.on('message', (job: ReadingJob) => {
    void work(library, job).then((credentials) => {
      const isGrown = process.memoryUsage.rss() > GROWN_BYTES;
      process.send?.({ credentials, isGrown } satisfies ReadingAnswer);
    });
  });
  process.send?.({ fault: null } satisfies StartMessage);
} catch (error) {
  process.send?.({ fault: (error as Error).message } satisfies StartMessage);
}
