// Horizontal bars, each of one part or of several.
import { AXIS_COLOR, PALETTE, svgBar, svgDocument, svgText } from '../../src/calibration/evaluation/svg.js';
import { show } from './section.js';

/** A bar; its parts are named by the chart's legend, in the same order. */
export interface Bar {
  readonly label: string;
  readonly parts: readonly number[];
  /** Stands behind the bar. */
  readonly note: string;
}

const WIDTH_PX = 520;
const ROW_PX = 30;
const LEFT_PX = 200;
const NOTE_PX = 170;
const LEGEND_COLUMNS = 4;

/** Bars from zero; with a legend of more than one part, the legend stands below. */
export function plotBars(title: string, legend: readonly string[], bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ parts }) => sum(parts)));
  const shapes = [svgText(16, 22, title)];
  bars.forEach(({ label, parts, note }, row) => {
    const top = 42 + row * ROW_PX;
    shapes.push(svgText(LEFT_PX - 10, top + 15, label, { anchor: 'end' }));
    let left = LEFT_PX;
    parts.forEach((part, at) => {
      const width = most > 0 ? (part / most) * WIDTH_PX : 0;
      shapes.push(svgBar(left, top, width, ROW_PX - 9, PALETTE[at % PALETTE.length] ?? AXIS_COLOR));
      left += width;
    });
    shapes.push(svgText(left + 8, top + 15, note === '' ? show(sum(parts)) : note));
  });
  const below = 60 + bars.length * ROW_PX;
  const names = legend.length > 1 ? legend : [];
  names.forEach((name, at) => {
    const x = LEFT_PX + (at % LEGEND_COLUMNS) * 150;
    const y = below + Math.floor(at / LEGEND_COLUMNS) * 20;
    shapes.push(svgBar(x, y - 10, 12, 12, PALETTE[at % PALETTE.length] ?? AXIS_COLOR));
    shapes.push(svgText(x + 18, y, name));
  });
  const rows = Math.ceil(names.length / LEGEND_COLUMNS);
  return svgDocument(LEFT_PX + WIDTH_PX + NOTE_PX, below + rows * 20, shapes);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
