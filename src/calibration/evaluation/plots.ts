// Draws ROC curves and histograms of scores as SVG.
import { createSample, measure, rocCurve } from './measures.js';
import type { DetectorRows, DetectorRow } from './report.js';
import { escapeHtml } from '../../html/html.js';
import { cutColumns } from '../../tables/columns.js';

/** Colours that colour-blind readers can distinguish. Source: Okabe and Ito, Color Universal Design, 2008. */
export const PALETTE = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9'] as const;

/** Grey of axes and grids, readable on white and on black. */
const AXIS_COLOR = '#808080';

/** Builds an SVG of `width` × `height` px with a transparent background. */
export function svgDocument(width: number, height: number, shapes: readonly string[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return [`${open} font-family="sans-serif" font-size="12">`, ...shapes, '</svg>', ''].join('\n');
}

/** Draws a line through points. */
function svgLine(
  points: readonly (readonly [x: number, y: number])[],
  color: string,
  options: { readonly widthPx?: number; readonly isDashed?: boolean } = {},
): string {
  const path = points.map(([x, y]) => `${short(x)},${short(y)}`).join(' ');
  const dash = options.isDashed === true ? ' stroke-dasharray="4 4"' : '';
  return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="${options.widthPx ?? 1}"${dash}/>`;
}

/** Draws a straight line between two points. */
export function svgSegment(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  color: string,
  options?: Parameters<typeof svgLine>[2],
): string {
  return svgLine([[x1, y1], [x2, y2]], color, options); // prettier-ignore
}

/** Draws a filled rectangle. */
export function svgBar(x: number, y: number, width: number, height: number, color: string): string {
  return `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${color}"/>`;
}

/** Draws a line of text. `anchor` says which part of the text is at x. */
export function svgText(
  x: number,
  y: number,
  text: string,
  options: { readonly anchor?: 'start' | 'middle' | 'end'; readonly color?: string } = {},
): string {
  const { anchor = 'start', color = AXIS_COLOR } = options;
  return `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" fill="${color}">${escapeHtml(text)}</text>`;
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const SIDE_PX = 400;
const LEFT_PX = 60;
const TOP_PX = 30;

/** Plots ROC curves as SVG, one for each degradation level that has images of both classes. */
export function plotRoc(title: string, tiers: readonly DetectorRows[]): string {
  const x = (rate: number): number => LEFT_PX + rate * SIDE_PX;
  const y = (rate: number): number => TOP_PX + (1 - rate) * SIDE_PX;
  const shapes = [svgText(LEFT_PX, 18, title)];
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    shapes.push(svgSegment(x(tick), y(0), x(tick), y(1), AXIS_COLOR, { widthPx: 0.3 }));
    shapes.push(svgSegment(x(0), y(tick), x(1), y(tick), AXIS_COLOR, { widthPx: 0.3 }));
    shapes.push(svgText(x(tick), y(0) + 18, tick.toFixed(1), { anchor: 'middle' }));
    shapes.push(svgText(x(0) - 8, y(tick) + 4, tick.toFixed(1), { anchor: 'end' }));
  }
  shapes.push(svgSegment(x(0), y(0), x(1), y(1), AXIS_COLOR, { isDashed: true }));
  shapes.push(svgText(x(0.5), y(0) + 38, 'false-alarm rate', { anchor: 'middle' }));
  shapes.push(svgText(8, TOP_PX - 12, 'recall'));
  tiers.forEach(({ tier, rows }, at) => {
    const sample = createSample(rows.map(({ score, isAi }) => ({ score, isAi, unit: 0, fired: [] })));
    const { auc } = measure(sample);
    if (Number.isNaN(auc)) return;
    const color = PALETTE[at % PALETTE.length] ?? AXIS_COLOR;
    const points = rocCurve(sample).map(([falseAlarms, recall]) => [x(falseAlarms), y(recall)] as const);
    shapes.push(svgLine(points, color, { widthPx: 2 }));
    shapes.push(
      svgText(x(0.97), y(0.05 + 0.05 * at), `${tier}: AUC ${auc.toFixed(3)}`, { anchor: 'end', color }),
    );
  });
  return svgDocument(LEFT_PX + SIDE_PX + 20, TOP_PX + SIDE_PX + 50, shapes);
}

const BINS = 25;
const BIN_PX = 10;
const ROW_PX = 44;
const BARS_PX = 34;
const LABEL_PX = 320;
const TITLE_PX = 38;
const MARK_PX = 14;

/** Maximum number of characters of a label; longer names would overlap the bars. */
const LABEL_CHARACTERS = 34;

/** A threshold that a histogram marks with a vertical line. */
export interface ThresholdMark {
  readonly name: string;
  readonly threshold: number;
}

/** Plots histograms of scores as SVG, genuine groups first. Bars show shares of the group's images. */
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
    shapes.push(svgSegment(LABEL_PX, baseline, LABEL_PX + widthPx, baseline, AXIS_COLOR, { widthPx: 0.5 }));
    shares.forEach((share, bin) => {
      const height = (share / highest) * BARS_PX;
      if (share === 0) return;
      const color = isAi ? PALETTE[1] : PALETTE[0];
      shapes.push(svgBar(LABEL_PX + bin * BIN_PX, baseline - height, BIN_PX - 1, height, color));
    });
  });
  marks.forEach(({ name, threshold }, at) => {
    const x = LABEL_PX + threshold * widthPx;
    // Writes each threshold's name on a separate line, the strictest on top, because thresholds are close together.
    const y = topPx - 8 - MARK_PX * (marks.length - 1 - at);
    shapes.push(svgSegment(x, y, x, bottomPx, PALETTE[2], { isDashed: true }));
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
    const existing = groups.get(key);
    if (existing === undefined) groups.set(key, { group, isAi, scores: [score] });
    else existing.scores.push(score);
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
