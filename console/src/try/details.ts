// What the Try page asks of a check: everything that it shows, and the record that it saves.

/** The value of the query's `include`. */
export const DETAILS = 'heatmap,faces,credentials,assessment,timings,thresholds,warnings,marks,record';
