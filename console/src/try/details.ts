// Selects the details that the page Try requests with a check: those it shows, and the record it can save.
import { createStore } from '../store.js';

/** True if the account stores hashes of images, with which earlier checks of an image can be found. */
export const recalls = createStore(false);

/** Returns the value of the query parameter `include`. */
export function requestedDetails(): string {
  const always = 'heatmap,faces,credentials,reasons,assessment,timings,thresholds,warnings,marks,record';
  return recalls.get() ? `${always},seen` : always;
}
