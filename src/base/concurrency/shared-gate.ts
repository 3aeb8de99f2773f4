// A gate of which nobody takes every place: what one account holds up, it holds up for itself.
import { Gate, type GateOptions } from './gate.js';

/** Of the places, those that one account never takes. */
const KEPT_FOR_OTHERS = 0.25;

/**
 * A gate of which an account takes three quarters of the places, at least one: however many it sends, and however long
 * each of them stays, the others find a place, or wait for the next that comes free.
 */
export class SharedGate extends Gate {
  constructor(options: Omit<GateOptions, 'share'>) {
    const { places } = options;
    super({ ...options, share: Math.max(1, places - Math.ceil(places * KEPT_FOR_OTHERS)) });
  }
}
