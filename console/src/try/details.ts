// What the Try page asks of a check: everything that it shows, and the record that it saves.
import { createStore } from '../store.js';

/** Whether the account keeps hashes, by which earlier checks of an image are found. */
export const recalls = createStore(false);

/** The value of the query's `include`. */
export function detailsToAsk(): string {
  const always = 'heatmap,faces,credentials,assessment,timings,thresholds,warnings,marks,record';
  return recalls.get() ? `${always},seen` : always;
}
