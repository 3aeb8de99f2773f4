// Tells files of a folder that are pictures from those that are none.
import type { Engine } from '../../engine/types.js';
import { CheckError } from '../../base/errors.js';
import { readHead } from './read-picture.js';

/** Whether the file at `path` begins as one of the formats does. Rejects as `readHead`. */
export async function looksLikeImage(path: string, engine: Engine): Promise<boolean> {
  const head = await readHead(path);
  try {
    await engine.sniff(head);
  } catch (error) {
    // Any other fault means that the first bytes are those of a format, and that the rest is to be judged.
    return !(error instanceof CheckError && error.code === 'unsupported_format');
  }
  return true;
}
