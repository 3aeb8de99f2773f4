// Comparing the numbers in a record with the numbers of a repeated check.
import type { RecordContent } from './schema.js';

/** Differences between the numbers of two checks. */
interface Comparison {
  /** Count of the numbers that both checks have. */
  readonly numbers: number;
  /** Largest difference of two scores, including faces' scores; 0 if all are equal to the last digit. */
  readonly farthest: number;
  /** Largest difference of two heat-map cells, which vary more between kinds of processors than scores do. */
  readonly farthestCell: number;
  /** Description of an item in only one check, such as a face at another position; null if all match. */
  readonly odd: string | null;
}

/** Compares all scores, faces and heat-map cells that the record contains. */
export function compareScores(recordedContent: RecordContent, repeatedContent: RecordContent): Comparison {
  const distances: number[] = [];
  const cells: number[] = [];
  let odd: string | null = null;
  const compare = (name: string, a: number | null, b: number | null): void => {
    if (a === null && b === null) return;
    if (a === null || b === null) odd ??= `only one of the two checks has ${name}`;
    else distances.push(Math.abs(a - b));
  };
  // Not all records contain this score: records from the history lack it, for example.
  if (typeof recordedContent.scores?.drawn === 'number')
    compare('drawn', recordedContent.scores.drawn, repeatedContent.scores?.drawn ?? null);
  for (const id of ['full_image_specialist', 'face_specialist'] as const)
    compare(id, recordedContent.scores?.[id].score ?? null, repeatedContent.scores?.[id].score ?? null);
  const pairs = (name: 'faces' | 'heat_map') => {
    const [all, repeated] = [recordedContent[name], repeatedContent[name]];
    if (all === null || repeated === null) return [];
    if (all.length !== repeated.length)
      odd ??= `${name} had ${all.length} entries and now has ${repeated.length}`;
    return all.map((one, at) => [one, repeated[at]] as const);
  };
  for (const [one, repeated] of [...pairs('faces'), ...pairs('heat_map')]) {
    if (repeated === undefined) continue;
    if (String(one.box) !== String(repeated.box))
      odd ??= `a box was at ${String(one.box)} and is now at ${String(repeated.box)}`;
    if (!('manipulated' in one)) cells.push(Math.abs(one.score - repeated.score));
    else compare('a score', one.score, repeated.score);
    if ('manipulated' in one && 'manipulated' in repeated)
      for (const part of ['manipulated', 'generated', 'confidence'] as const)
        compare(part, one[part], repeated[part]);
  }
  return {
    numbers: distances.length + cells.length,
    farthest: Math.max(0, ...distances),
    farthestCell: Math.max(0, ...cells),
    odd,
  };
}
