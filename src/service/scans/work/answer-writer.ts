// Writes results of scan items in groups: results that arrive during a transaction share the next one.
import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../answers.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Maximum number of results per transaction. A low number, so that the scan's row is locked only briefly. */
const MAX_ANSWERS_PER_WRITE = 200;

/** Function that writes results of one scan, all or none. */
type WriteAnswers = (scanId: string, answers: readonly Answer[]) => Promise<void>;

interface Pending {
  readonly answer: Answer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes results in transactions, one at a time for each scan. A transaction has all results that are waiting
 * when the transaction begins.
 */
export class AnswerWriter {
  readonly #write: WriteAnswers;
  readonly #pending = new Map<string, Pending[]>();

  constructor(write: WriteAnswers) {
    this.#write = write;
  }

  /** Adds a result. Resolves when the result is committed; rejects if writing fails. */
  add(scanId: string, answer: Answer): Promise<void> {
    return new Promise((resolve, reject) => {
      const pending = this.#pending.get(scanId);
      const pendingAnswer = { answer, resolve, reject };
      if (pending) {
        pending.push(pendingAnswer);
        return;
      }
      this.#pending.set(scanId, [pendingAnswer]);
      void this.#drain(scanId);
    });
  }

  async #drain(scanId: string): Promise<void> {
    const pending = this.#pending.get(scanId) ?? [];
    while (pending.length > 0) {
      const together = pending.splice(0, MAX_ANSWERS_PER_WRITE);
      try {
        await this.#write(
          scanId,
          together.map(({ answer }) => answer),
        );
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.#pending.delete(scanId);
  }
}

const PAUSE_MS = 500;

/**
 * Repeats an idempotent action until the database or store is available. Rejects with other errors, and with
 * `unavailable` after `signal` aborted.
 */
export async function retryWhileUnavailable<T>(signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isUnavailable(error) || signal.aborted) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

/** Returns whether an error means that the database or store is unavailable. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof CheckError && error.code === 'unavailable';
}
