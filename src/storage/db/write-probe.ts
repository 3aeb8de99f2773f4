// Whether the tables can be written: a full disk still lets them be read.
import type { Database } from './database.js';

const SLOT = 1;
/** Questions within this time of each other get the same answer: strangers ask, and each look is a commit. */
const SHARED_MS = 1000;

/** Gives the look; it rejects with CheckError `unavailable`, and is one look for all who ask within a second. */
export function createWriteProbe(database: Database): () => Promise<void> {
  let last: { readonly look: Promise<void>; readonly atMs: number } | null = null;
  const look = async (): Promise<void> => {
    await database.run((queries) =>
      queries('write_probe').insert({ slot: SLOT, written_at: Date.now() }).onConflict('slot').merge(),
    );
  };
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs >= SHARED_MS) last = { look: look(), atMs: nowMs };
    return last.look;
  };
}
