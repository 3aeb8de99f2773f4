// The results of a scan as JSON lines. Each line is complete even if the program is stopped.
import { open, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { toFilePath } from 'telltale-engine/internal/base/file-names.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { CheckFailure } from 'telltale-engine/internal/check/types.js';
import type { MarkKind } from 'telltale-engine/internal/check/marks/kinds.js';
import { UsageError } from '../command.js';

/** A line: the path or address of the image, with its result or error. */
export type ResultLine = { readonly file: string } | { readonly url: string };
/** Fields in addition to the name. */
export type ResultBody = CheckResult | { readonly error: CheckFailure };

/** Returns the name of the image of a line. */
export function nameOf(line: ResultLine): string {
  return 'file' in line ? line.file : line.url;
}

/** A results file that grows. */
export class ResultsFile {
  readonly #file: FileHandle;
  /** Path of the file that keeps other scans away. */
  readonly #lock: string | Buffer;
  /** `sizeBytes` is the position after the last complete line. */
  #sizeBytes: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, lock: string | Buffer, sizeBytes: number) {
    this.#file = file;
    this.#lock = lock;
    this.#sizeBytes = sizeBytes;
  }

  /**
   * Opens `path`. A new scan needs a missing or empty file; `resume` continues an existing one and cuts off an
   * incomplete last line. Rejects with UsageError, also if another running scan writes to it.
   */
  static async open(path: string, resume: boolean): Promise<ResultsFile> {
    const found = await stat(toFilePath(path)).catch(() => null);
    if (found !== null && found.size > 0 && !resume)
      throw new UsageError(`'${path}' has results already; --resume goes on with them`);
    const lock = toFilePath(`${path}.lock`);
    await takeLock(lock, path);
    try {
      const file = await open(toFilePath(path), found === null ? 'wx+' : 'r+').catch(refuseToWrite(path));
      const sizeBytes = await endOfLastLine(file, found?.size ?? 0);
      await file.truncate(sizeBytes);
      return new ResultsFile(file, lock, sizeBytes);
    } catch (error) {
      await rm(lock, { force: true });
      throw error;
    }
  }

  /**
   * Yields every result so far in order. Skips lines that are not results of a scan and reports their numbers by
   * `reportBroken`. Rejects with UsageError if there is no result at all.
   */
  async *read(
    reportBroken: (lines: readonly number[]) => Promise<void>,
  ): AsyncGenerator<ResultLine & ResultBody> {
    if (this.#sizeBytes === 0) return;
    const broken: number[] = [];
    let line = 0;
    for await (const text of this.#file.readLines({ start: 0, end: this.#sizeBytes - 1, autoClose: false })) {
      line += 1;
      const result = parseLine(text);
      if (result === null) broken.push(line);
      else yield result;
    }
    if (broken.length === line)
      throw new UsageError('The results file contains no result of a scan. Name another file for --out');
    if (broken.length > 0) await reportBroken(broken);
  }

  /**
   * Appends a line and resolves once the line is complete in the file. Removes a partly written line if the disk is
   * full.
   */
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

  /** Closes the file after the last line was written. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await this.#file.sync();
    await this.#file.close();
    await rm(this.#lock, { force: true });
  }
}

const refuseToWrite =
  (path: string) =>
  (error: unknown): never => {
    throw new UsageError(`'${path}' can't be written (${(error as NodeJS.ErrnoException).code})`);
  };

/** Creates the lock with this process's id. A lock of an ended process is replaced. Rejects with UsageError. */
async function takeLock(lock: string | Buffer, path: string): Promise<void> {
  const create = (): Promise<void> => writeFile(lock, String(process.pid), { flag: 'wx' });
  await create().catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') refuseToWrite(path)(error);
    const owner = Number(await readFile(lock, 'utf8').catch(() => ''));
    if (isRunning(owner))
      throw new UsageError(
        `Another scan (process ${owner}) writes to '${path}'. Wait for it, or name another file for --out`,
      );
    await rm(lock, { force: true });
    await create().catch(refuseToWrite(path));
  });
}

function isRunning(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    // Signal 0 only tests whether the process exists.
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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

/** Returns the result on a line, or null for anything else. */
function parseLine(text: string): (ResultLine & ResultBody) | null {
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    const name = value?.file ?? value?.url;
    const isResult = typeof name === 'string' && ('error' in (value ?? {}) || 'is_ai' in (value ?? {}));
    return isResult ? (value as unknown as ResultLine & ResultBody) : null;
  } catch {
    return null;
  }
}

/** The two detectors by their names in results. */
export const DETECTORS = ['full_image_specialist', 'face_specialist'] as const;
/** Name of a detector in results. */
export type Detector = (typeof DETECTORS)[number];

/** Number of bars of a histogram of scores from 0 to 1. */
export const BINS = 40;
/** Number of images per detector in the report. Chosen: four rows of six. */
const SHOWN = 24;

/** An image with one of the highest scores. */
export interface HighScore {
  readonly name: string;
  readonly isAddress: boolean;
  readonly score: number;
  readonly isAi: boolean;
}

/** Number of images with a mark, by its kind and the maker it names. */
interface MarkCount {
  readonly kind: MarkKind;
  /** Maker, or null if the mark names none. */
  readonly generator: string | null;
  readonly pictures: number;
}

/** Running counts of a scan. */
export class Tally {
  ai = 0;
  noAi = 0;
  /** Number of results without a search for marks. */
  withoutMarks = 0;
  readonly #marks = new Map<string, MarkCount>();
  /** Number of images by error code. */
  readonly errors = new Map<string, number>();
  readonly bins: Readonly<Record<Detector, number[]>> = {
    full_image_specialist: new Array<number>(BINS).fill(0),
    face_specialist: new Array<number>(BINS).fill(0),
  };
  /** Images by score, highest first. */
  readonly highest: Readonly<Record<Detector, HighScore[]>> = {
    full_image_specialist: [],
    face_specialist: [],
  };

  /** Number of images that were refused or failed. */
  get refused(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  get total(): number {
    return this.ai + this.noAi + this.refused;
  }

  /** Counts a line of the results. */
  add(line: ResultLine & ResultBody): void {
    if ('error' in line) {
      this.errors.set(line.error.code, (this.errors.get(line.error.code) ?? 0) + 1);
      return;
    }
    if (line.is_ai) this.ai += 1;
    else this.noAi += 1;
    this.#addMarks(line);
    for (const detector of DETECTORS) this.#addScore(detector, line);
  }

  /** Returns each kind with each maker, most images first. */
  get marks(): readonly MarkCount[] {
    return [...this.#marks.values()].sort((a, b) => b.pictures - a.pictures);
  }

  /** An image counts once per kind and maker, however many such marks it carries. */
  #addMarks({ details }: CheckResult): void {
    if (details?.marks === undefined) this.withoutMarks += 1;
    const ofImage = new Map(
      details?.marks?.map(({ kind, generator }) => [JSON.stringify([kind, generator]), { kind, generator }]),
    );
    for (const [key, mark] of ofImage)
      this.#marks.set(key, { ...mark, pictures: (this.#marks.get(key)?.pictures ?? 0) + 1 });
  }

  #addScore(detector: Detector, line: ResultLine & CheckResult): void {
    const score = line.scores[detector];
    if (score === null) return;
    const bin = Math.min(BINS - 1, Math.floor(score * BINS));
    this.bins[detector][bin] = (this.bins[detector][bin] ?? 0) + 1;
    const highest = this.highest[detector];
    if (highest.length === SHOWN && score <= (highest.at(-1)?.score ?? 0)) return;
    highest.push({ name: nameOf(line), isAddress: 'url' in line, score, isAi: line.is_ai });
    highest.sort((a, b) => b.score - a.score);
    highest.length = Math.min(SHOWN, highest.length);
  }
}
