// The results of a scan, one JSON object per line. Lines are complete even if the program stops.
import { open, readFile, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { toFilePath } from 'telltale-engine/internal/base/files.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { Assessment, CheckFailure } from 'telltale-engine/internal/check/types.js';
import { assessmentOf } from 'telltale-engine/internal/check/verdict/assessment.js';
import type { MarkKind } from 'telltale-engine/internal/check/marks/kinds.js';
import { UsageError } from '../command.js';

/** Beginning of a line, which names the image by path or address. */
export type ResultLine = { readonly file: string } | { readonly url: string };
/** Rest of a line: the image's result or error. */
export type ResultBody = CheckResult | { readonly error: CheckFailure };

/** Returns the path or address of the image that a line is about. */
export function nameOf(line: ResultLine): string {
  return 'file' in line ? line.file : line.url;
}

/** A file to which a scan appends results. */
export class ResultsFile {
  readonly #file: FileHandle;
  /** Path of a file that prevents other scans from writing to the same results. */
  readonly #lock: string | Buffer;
  /** `sizeBytes` is the size of the file without an incomplete last line. */
  #sizeBytes: number;
  /** True after an incomplete last line was removed. A file that is not continued stays unchanged. */
  #isTrimmed = false;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle, lock: string | Buffer, sizeBytes: number) {
    this.#file = file;
    this.#lock = lock;
    this.#sizeBytes = sizeBytes;
  }

  /**
   * Opens a results file. A new scan needs a missing or empty file. `resume` continues an existing file. The first
   * `append` replaces an incomplete last line. Rejects with UsageError, also if another running scan writes to the
   * file, or if the file has no complete line and does not begin like a result.
   */
  static async open(path: string, resume: boolean): Promise<ResultsFile> {
    const fileStat = await stat(toFilePath(path)).catch(() => null);
    if (fileStat !== null && fileStat.size > 0 && !resume)
      throw new UsageError(`'${path}' already contains results; --resume continues with them`);
    const lock = toFilePath(`${path}.lock`);
    await takeLock(lock, path);
    try {
      const file = await open(toFilePath(path), fileStat === null ? 'wx+' : 'r+').catch(refuseToWrite(path));
      const sizeBytes = await endOfLastLine(file, fileStat?.size ?? 0);
      if (sizeBytes === 0 && !(await beginsLikeResult(file))) {
        await file.close();
        throw noResults();
      }
      return new ResultsFile(file, lock, sizeBytes);
    } catch (error) {
      await rm(lock, { force: true });
      throw error;
    }
  }

  /**
   * Yields all results in order. Skips lines that are not results and passes their numbers to `reportBroken`.
   * Rejects with UsageError if the file contains no result.
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
    if (broken.length === line) throw noResults();
    if (broken.length > 0) await reportBroken(broken);
  }

  /**
   * Appends a line. Resolves when the line is completely in the file. Removes a partly written line if the
   * disk is full.
   */
  append(line: ResultLine & ResultBody): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    const write = async (): Promise<void> => {
      try {
        let written = 0;
        if (!this.#isTrimmed) await this.#file.truncate(this.#sizeBytes);
        this.#isTrimmed = true;
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

  /** Waits until the last line is written, then closes the file. */
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

/** Creates the lock file with this process's id, or replaces an ended process's. Rejects with UsageError. */
async function takeLock(lock: string | Buffer, path: string): Promise<void> {
  const create = (): Promise<void> => writeFile(lock, String(process.pid), { flag: 'wx' });
  await create().catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') refuseToWrite(path)(error);
    const owner = Number(await readFile(lock, 'utf8').catch(() => ''));
    // In a container, the scan that ended may have had this process's id.
    if (owner !== process.pid && isRunning(owner))
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
    // Signal 0 ends nothing; it only tests whether the process exists.
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

const BEGINNINGS = ['{"file":', '{"url":'];

/** Returns whether a file without a complete line is empty or holds the beginning of a result. */
async function beginsLikeResult(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
  const text = buffer.toString('latin1', 0, bytesRead);
  return BEGINNINGS.some((beginning) => text.startsWith(beginning) || beginning.startsWith(text));
}

function noResults(): UsageError {
  return new UsageError('The results file contains no result of a scan. Name another file for --out');
}

/** Returns the result on a line, or null if the line is not a result. */
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

/** Names of the two detectors in results. */
export const DETECTORS = ['full_image_specialist', 'face_specialist'] as const;
/** Name of a detector in results. */
export type Detector = (typeof DETECTORS)[number];

/** Number of bars in a histogram of scores from 0 to 1. */
export const BINS = 40;
/** Number of images per detector in the report: four rows of six. */
const MAX_HIGHEST_SCORES = 24;

/** An image whose score is among the highest. */
export interface HighScore {
  readonly name: string;
  readonly isAddress: boolean;
  readonly score: number;
  readonly assessment: Assessment;
}

/** Number of images with marks of one kind that name the same generator. */
interface MarkCount {
  readonly kind: MarkKind;
  /** Generator that the mark names, or null. */
  readonly generator: string | null;
  readonly pictures: number;
}

/** Totals of a scan, updated with every result. */
export class Tally {
  /** Number of images that the profile flags, and of all other checked images. */
  ai = 0;
  noAi = 0;
  /** Number of checked images by headline. */
  readonly assessments: Record<Assessment, number> = { likely_ai: 0, unclear: 0, no_ai_detected: 0 };
  /** Number of images that were not searched for marks. */
  withoutMarks = 0;
  readonly #marks = new Map<string, MarkCount>();
  /** Number of failed images by error code. */
  readonly errors = new Map<string, number>();
  readonly bins: Readonly<Record<Detector, number[]>> = {
    full_image_specialist: new Array<number>(BINS).fill(0),
    face_specialist: new Array<number>(BINS).fill(0),
  };
  /** Images with the highest scores of each detector, highest first. */
  readonly highest: Readonly<Record<Detector, HighScore[]>> = {
    full_image_specialist: [],
    face_specialist: [],
  };

  /** Number of images that were refused or could not be checked. */
  get refused(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  get total(): number {
    return this.ai + this.noAi + this.refused;
  }

  /** Adds a result to the totals. */
  add(line: ResultLine & ResultBody): void {
    if ('error' in line) {
      this.errors.set(line.error.code, (this.errors.get(line.error.code) ?? 0) + 1);
      return;
    }
    if (line.is_ai) this.ai += 1;
    else this.noAi += 1;
    this.assessments[assessmentOf(line)] += 1;
    this.#addMarks(line);
    for (const detector of DETECTORS) this.#addScore(detector, line);
  }

  /** Returns the number of images by kind of mark and generator, largest first. */
  get marks(): readonly MarkCount[] {
    return [...this.#marks.values()].sort((a, b) => b.pictures - a.pictures);
  }

  /** Counts an image once per kind and generator, even if it has several such marks. */
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
    if (highest.length === MAX_HIGHEST_SCORES && score <= (highest.at(-1)?.score ?? 0)) return;
    highest.push({ name: nameOf(line), isAddress: 'url' in line, score, assessment: assessmentOf(line) });
    highest.sort((a, b) => b.score - a.score);
    highest.length = Math.min(MAX_HIGHEST_SCORES, highest.length);
  }
}
