// How the scores of one detector lie on one tier: a small histogram for each source or generator.
import { cutColumns } from '../../base/text-columns.js';
import type { DetectorRow, DetectorRows } from './report.js';
import { AXIS_COLOR, PALETTE, svgBar, svgDocument, svgLine, svgText } from './svg.js';

const BINS = 25;
const BIN_PX = 10;
const ROW_PX = 44;
const BARS_PX = 34;
const LABEL_PX = 320;
const TITLE_PX = 38;
const MARK_PX = 14;

/** Longer names are cut, so that they end before the bars begin. */
const LABEL_CHARACTERS = 34;

/** A threshold to mark. */
export interface ThresholdMark {
  readonly name: string;
  readonly threshold: number;
}

/** An SVG with a row for each group, genuine ones first; bars are shares of the group's pictures. */
export function plotHistograms(
  title: string,
  { rows }: DetectorRows,
  marks: readonly ThresholdMark[],
): string {
  const groups = groupRows(rows);
  const widthPx = BINS * BIN_PX;
  const topPx = TITLE_PX + marks.length * MARK_PX;
  const bottomPx = topPx + groups.length * ROW_PX;
  const shapes = [svgText(8, 18, title)];
  groups.forEach(({ group, isAi, scores }, at) => {
    const baseline = topPx + (at + 1) * ROW_PX - 4;
    const shares = countBins(scores).map((count) => count / scores.length);
    const highest = Math.max(...shares);
    shapes.push(
      svgText(
        8,
        baseline - 8,
        `${isAi ? 'ai' : 'real'}  ${cutColumns(group, LABEL_CHARACTERS)}  (${scores.length})`,
      ),
    );
    shapes.push(
      svgLine(
        [
          [LABEL_PX, baseline],
          [LABEL_PX + widthPx, baseline],
        ],
        AXIS_COLOR,
        { widthPx: 0.5 },
      ),
    );
    shares.forEach((share, bin) => {
      const height = (share / highest) * BARS_PX;
      if (share === 0) return;
      const color = isAi ? PALETTE[1] : PALETTE[0];
      shapes.push(svgBar(LABEL_PX + bin * BIN_PX, baseline - height, BIN_PX - 1, height, color));
    });
  });
  marks.forEach(({ name, threshold }, at) => {
    const x = LABEL_PX + threshold * widthPx;
    // Thresholds lie close together: each name has a line of its own, the strictest on top, clear of the others' lines.
    const y = topPx - 8 - MARK_PX * (marks.length - 1 - at);
    shapes.push(
      svgLine(
        [
          [x, y],
          [x, bottomPx],
        ],
        PALETTE[2],
        { isDashed: true },
      ),
    );
    shapes.push(svgText(x - 4, y + 4, name, { anchor: 'end', color: PALETTE[2] }));
  });
  for (const tick of [0, 0.5, 1]) {
    shapes.push(svgText(LABEL_PX + tick * widthPx, bottomPx + 14, String(tick), { anchor: 'middle' }));
  }
  shapes.push(svgText(LABEL_PX + widthPx / 2, bottomPx + 30, 'score', { anchor: 'middle' }));
  return svgDocument(LABEL_PX + widthPx + 20, bottomPx + 40, shapes);
}

interface Group {
  readonly group: string;
  readonly isAi: boolean;
  readonly scores: number[];
}

function groupRows(rows: readonly DetectorRow[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { group, isAi, score } of rows) {
    const key = `${isAi ? 1 : 0} ${group}`;
    const found = groups.get(key);
    if (found === undefined) groups.set(key, { group, isAi, scores: [score] });
    else found.scores.push(score);
  }
  return [...groups.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function countBins(scores: readonly number[]): number[] {
  const counts = new Array<number>(BINS).fill(0);
  for (const score of scores) {
    const bin = Math.min(BINS - 1, Math.floor(score * BINS));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}
