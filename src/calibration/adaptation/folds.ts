// Which pictures are judged by a correction that did not learn from them.

/** Parts into which pictures are dealt. */
export const FOLDS = 5;

/** A picture to deal: those of one source stay together. */
export interface Dealt {
  readonly isAi: boolean;
  readonly source: string;
}

/**
 * The fold of each picture, 0 to FOLDS - 1, dealt class by class. Sources are dealt the largest first, each into the
 * smallest fold; a class that has one source only is dealt picture by picture.
 */
export function dealFolds(pictures: readonly Dealt[]): Uint8Array {
  const folds = new Uint8Array(pictures.length);
  for (const isAi of [false, true]) {
    const mine = pictures.flatMap((picture, at) => (picture.isAi === isAi ? [at] : []));
    const bySource = new Map<string, number[]>();
    for (const at of mine) {
      const { source } = pictures[at] as Dealt;
      bySource.set(source, [...(bySource.get(source) ?? []), at]);
    }
    const units = bySource.size > 1 ? [...bySource.values()] : mine.map((at) => [at]);
    const sizes = new Array<number>(FOLDS).fill(0);
    for (const unit of units.sort((a, b) => b.length - a.length)) {
      const fold = sizes.indexOf(Math.min(...sizes));
      sizes[fold] = (sizes[fold] ?? 0) + unit.length;
      for (const at of unit) folds[at] = fold;
    }
  }
  return folds;
}
