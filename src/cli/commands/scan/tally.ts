// What a scan found, counted: verdicts, refusals by code, how the scores lie, the highest of them.
import type { CheckResult } from '../../../check/result-schema.js';
import type { MarkKind } from '../../../check/types.js';
import { nameOf, type ResultBody, type ResultLine } from './results-file.js';

/** The two detectors, as results name them. */
export const DETECTORS = ['full_image_specialist', 'face_specialist'] as const;
/** A detector, as results name it. */
export type Detector = (typeof DETECTORS)[number];

/** Bars of a histogram of scores from 0 to 1. */
export const BINS = 40;
/** Pictures of each detector that the report shows. Chosen: four rows of six. */
const SHOWN = 24;

/** A picture with one of the highest scores. */
export interface HighScore {
  readonly name: string;
  readonly isAddress: boolean;
  readonly score: number;
  readonly isAi: boolean;
}

/** Pictures that carry a mark, by its kind and by whom it names as maker. */
export interface MarkCount {
  readonly kind: MarkKind;
  /** Null where the mark names none. */
  readonly generator: string | null;
  readonly pictures: number;
}

/** Counts as they grow. */
export class Tally {
  ai = 0;
  noAi = 0;
  /** Results in which marks were not asked for. */
  withoutMarks = 0;
  readonly #marks = new Map<string, MarkCount>();
  /** Pictures by the code of their error. */
  readonly errors = new Map<string, number>();
  readonly bins: Readonly<Record<Detector, number[]>> = {
    full_image_specialist: new Array<number>(BINS).fill(0),
    face_specialist: new Array<number>(BINS).fill(0),
  };
  /** Highest first. */
  readonly highest: Readonly<Record<Detector, HighScore[]>> = {
    full_image_specialist: [],
    face_specialist: [],
  };

  /** Pictures that were refused or failed. */
  get refused(): number {
    return [...this.errors.values()].reduce((sum, count) => sum + count, 0);
  }

  get total(): number {
    return this.ai + this.noAi + this.refused;
  }

  /** Counts one line of the results. */
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

  /** Each kind with each maker, most pictures first. */
  get marks(): readonly MarkCount[] {
    return [...this.#marks.values()].sort((a, b) => b.pictures - a.pictures);
  }

  /** A picture counts once for a kind and a maker, however many such marks it carries. */
  #addMarks({ details }: CheckResult): void {
    if (details?.marks === undefined) this.withoutMarks += 1;
    const ofPicture = new Map(
      details?.marks?.map(({ kind, generator }) => [JSON.stringify([kind, generator]), { kind, generator }]),
    );
    for (const [key, mark] of ofPicture)
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
