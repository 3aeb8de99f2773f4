// The results of a scan as JSON lines: whole lines alone, whatever stops the program.
import { open, stat, type FileHandle } from 'node:fs/promises';
import { toFilePath } from '../../../base/file-names.js';
import type { CheckResult } from '../../../check/result-schema.js';
import type { CheckFailure } from '../../../check/types.js';
import { UsageError } from '../command.js';

/** One line: the picture's path or address, and its result or its error. */
export type ResultLine = { readonly file: string } | { readonly url: string };
/** The members beside the name. */
export type ResultBody = CheckResult | { readonly error: CheckFailure };

/** The name a line is about. */
export function nameOf(line: ResultLine): string {
  return 'file' in line ? line.file : line.url;
}

/** A results file that grows. */
export class ResultsFile {
  readonly #file: FileHandle;
  /** Bytes up to the end of the last whole line. */
  #sizeBytes: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, sizeBytes: number) {
    this.#file = file;
    this.#sizeBytes = sizeBytes;
  }

  /**
   * Opens `path`. A new scan needs a file that is not there yet or is empty; `resume` goes on with one. Half a line at
   * its end, left by a program that was killed, is cut off. Rejects with UsageError.
   */
  static async open(path: string, resume: boolean): Promise<ResultsFile> {
    const found = await stat(toFilePath(path)).catch(() => null);
    if (found !== null && found.size > 0 && !resume)
      throw new UsageError(`'${path}' has results already; --resume goes on with them`);
    const file = await open(toFilePath(path), found === null ? 'wx+' : 'r+').catch((error: unknown) => {
      throw new UsageError(`'${path}' can't be written (${(error as NodeJS.ErrnoException).code})`);
    });
    const sizeBytes = await endOfLastLine(file, found?.size ?? 0);
    await file.truncate(sizeBytes);
    return new ResultsFile(file, sizeBytes);
  }

  /** Every line so far, in order. Rejects with UsageError if one is no result of a scan. */
  async *read(): AsyncGenerator<ResultLine & ResultBody> {
    let line = 0;
    if (this.#sizeBytes === 0) return;
    for await (const text of this.#file.readLines({ start: 0, end: this.#sizeBytes - 1, autoClose: false })) {
      line += 1;
      yield parseLine(text, line);
    }
  }

  /** Adds a line; resolves once it is in the file as a whole. Where the disk is full, what was written of it is taken back. */
  append(line: ResultLine & ResultBody): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    const write = async (): Promise<void> => {
      try {
        let written = 0;
        while (written < bytes.byteLength) {
          const rest = bytes.byteLength - written;
          written += (await this.#file.write(bytes, written, rest, this.#sizeBytes + written)).bytesWritten;
        }
        this.#sizeBytes += bytes.byteLength;
      } catch (error) {
        await this.#file.truncate(this.#sizeBytes).catch(() => undefined);
        throw error;
      }
    };
    this.#writing = this.#writing.then(write);
    return this.#writing;
  }

  /** Closes it once the last line is on the disk. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.sync();
    await this.#file.close();
  }
}

async function endOfLastLine(file: FileHandle, sizeBytes: number): Promise<number> {
  const piece = Buffer.alloc(65_536);
  for (let end = sizeBytes; end > 0;) {
    const start = Math.max(0, end - piece.byteLength);
    const { bytesRead } = await file.read(piece, 0, end - start, start);
    const at = piece.subarray(0, bytesRead).lastIndexOf(10);
    if (at !== -1) return start + at + 1;
    end = start;
  }
  return 0;
}

function parseLine(text: string, line: number): ResultLine & ResultBody {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const name = value.file ?? value.url;
    if (typeof name === 'string' && ('error' in value || 'is_ai' in value))
      return value as unknown as ResultLine & ResultBody;
  } catch {
    // Told below.
  }
  throw new UsageError(
    `line ${line} of the results file is no result of a scan: name another file for --out`,
  );
}
