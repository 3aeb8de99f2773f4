// A semaphore that lets nobody take every permit: an account that holds things up does so for itself alone.
import { Semaphore, type SemaphoreOptions } from './semaphore.js';

/** Of the permits, those that one account never takes, unless it is said otherwise. */
const KEPT_FOR_OTHERS = 0.25;

/** How many permits there are, who waits, and the part of the permits (0 to 1) that one account never takes. */
export interface SharedSemaphoreOptions extends Omit<SemaphoreOptions, 'share'> {
  readonly keptForOthers?: number;
}

/**
 * A semaphore that gives an account at most three quarters of the permits, or what `keptForOthers` leaves, and at least
 * one. However many it sends, and however long each of them stays, the others find a permit, or wait for the next that
 * comes free.
 */
export class SharedSemaphore extends Semaphore {
  constructor({ keptForOthers = KEPT_FOR_OTHERS, ...options }: SharedSemaphoreOptions) {
    const { permits } = options;
    super({ ...options, share: Math.max(1, permits - Math.ceil(permits * keptForOthers)) });
  }
}
