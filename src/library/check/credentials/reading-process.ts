// Program of a process that reads Content Credentials: takes a file at a time and returns the findings.
import type { Credentials } from '../types.js';
import type * as Library from './read-manifest.js';
import { describeUnread, READER_FAILED } from './find-credentials.js';

/** A file to read. Its bytes follow on standard input. */
export interface ReadingJob {
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Number of bytes of a separate manifest store, which are sent before the file; 0 without one. */
  readonly manifestBytes: number;
  /** Trusted certificates, if they changed since the last job. */
  readonly trust?: Library.ReaderTrust;
}

/** The first message that the process sends. */
export interface StartMessage {
  /** Reason why the C2PA library does not load, or null if the process is ready for jobs. */
  readonly fault: string | null;
}

/** The response to a job. `credentials` is null if the file has no manifest. */
export interface ReadingAnswer {
  readonly credentials: Credentials | null;
  /** True if the process uses so much memory that it should be replaced. */
  readonly isGrown: boolean;
}

/**
 * Private memory after which the process is replaced. Measured: 110 to 130 MB after ordinary files, up to 190
 * after the largest.
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

/** Reads exactly `sizeBytes` of standard input. The next job must not arrive before the response. */
function receive(sizeBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  // No data ever arrives for an empty file.
  if (sizeBytes === 0) return Promise.resolve(bytes);
  return new Promise((resolve) => {
    let received = 0;
    const onData = (chunk: Buffer): void => {
      const copied = chunk.copy(bytes, received);
      received += copied;
      if (received < sizeBytes) return;
      process.stdin.off('data', onData).pause();
      // The bytes after the manifest belong to the file, so they are put back.
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
