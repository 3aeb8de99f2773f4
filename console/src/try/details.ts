// Details that the Try page requests: everything it shows, and the record it saves.
import { createStore } from '../store.js';

/** True if the account keeps hashes, by which earlier checks of an image are found. */
export const recalls = createStore(false);

/** Returns the value of the query parameter `include`. */
export function detailsToAsk(): string {
  const always = 'heatmap,faces,credentials,assessment,timings,thresholds,warnings,marks,record';
  return recalls.get() ? `${always},seen` : always;
}
