// What a scan found, counted: verdicts, refusals by code, how the scores lie, the highest of them.
import type { CheckResult } from '../../../check/present.js';
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

/** Counts as they grow. */
export class Tally {
  ai = 0;
  noAi = 0;
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
    for (const detector of DETECTORS) this.#addScore(detector, line);
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
