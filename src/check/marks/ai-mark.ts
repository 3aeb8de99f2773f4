// Whether a mark speaks of AI; apart from the reading of marks, because the console's pages ask it, too.
import type { Mark } from '../types.js';

/** Whether it says that AI made or edited the picture, or may have. */
export function isAiMark({ says, kind }: Pick<Mark, 'says' | 'kind'>): boolean {
  return says !== 'camera' && kind !== 'editor';
}
