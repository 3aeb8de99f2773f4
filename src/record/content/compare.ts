// Holds the numbers of two contents, the recorded one and one of a check made again, against each other.
import type { RecordContent } from './schema.js';

/** What came of it. */
interface Comparison {
  /** Numbers that both have. */
  readonly numbers: number;
  /** The largest distance of two scores, faces included; 0: equal to the last digit. */
  readonly farthest: number;
  /** That of two cells of the heat map, which move farther between kinds of processors. */
  readonly farthestCell: number;
  /** What has no counterpart, such as a face at another place; null if everything has. */
  readonly odd: string | null;
}

/** Compares scores, faces and heat map, as far as the record has them. */
export function compareScores(recorded: RecordContent, fresh: RecordContent): Comparison {
  const distances: number[] = [];
  const cells: number[] = [];
  let odd: string | null = null;
  const compare = (name: string, a: number | null, b: number | null): void => {
    if (a === null && b === null) return;
    if (a === null || b === null) odd ??= `${name} is there only once`;
    else distances.push(Math.abs(a - b));
  };
  // Where the record has none, such as one of the history, there is nothing to hold against.
  if (typeof recorded.scores?.drawn === 'number')
    compare('drawn', recorded.scores.drawn, fresh.scores?.drawn ?? null);
  for (const id of ['full_image_specialist', 'face_specialist'] as const)
    compare(id, recorded.scores?.[id].score ?? null, fresh.scores?.[id].score ?? null);
  const pairs = (name: 'faces' | 'heat_map') => {
    const [all, again] = [recorded[name], fresh[name]];
    if (all === null || again === null) return [];
    if (all.length !== again.length) odd ??= `${name} has ${all.length} entries and now ${again.length}`;
    return all.map((one, at) => [one, again[at]] as const);
  };
  for (const [one, again] of [...pairs('faces'), ...pairs('heat_map')]) {
    if (again === undefined) continue;
    if (String(one.box) !== String(again.box))
      odd ??= `a box at ${String(one.box)} is now at ${String(again.box)}`;
    if (!('manipulated' in one)) cells.push(Math.abs(one.score - again.score));
    else compare('a score', one.score, again.score);
    if ('manipulated' in one && 'manipulated' in again)
      for (const part of ['manipulated', 'generated', 'confidence'] as const)
        compare(part, one[part], again[part]);
  }
  return {
    numbers: distances.length + cells.length,
    farthest: Math.max(0, ...distances),
    farthestCell: Math.max(0, ...cells),
    odd,
  };
}
