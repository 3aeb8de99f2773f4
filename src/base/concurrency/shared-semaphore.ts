// A semaphore that lets nobody take every permit: an account that holds things up does so for itself alone.
import { Semaphore, type SemaphoreOptions } from './semaphore.js';

/** Of the permits, those that one account never takes. */
const KEPT_FOR_OTHERS = 0.25;

/**
 * A semaphore that gives an account at most three quarters of the permits, and at least one. However many it sends, and
 * however long each of them stays, the others find a permit, or wait for the next that comes free.
 */
export class SharedSemaphore extends Semaphore {
  constructor(options: Omit<SemaphoreOptions, 'share'>) {
    const { permits } = options;
    super({ ...options, share: Math.max(1, permits - Math.ceil(permits * KEPT_FOR_OTHERS)) });
  }
}
