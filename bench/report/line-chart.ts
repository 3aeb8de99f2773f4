// Lines over an axis of powers of two.
import { AXIS_COLOR, PALETTE, svgDocument, svgLine, svgText } from '../../src/calibration/evaluation/svg.js';
import { show } from './numbers.js';

/** A line; `isDashed` sets a second kind of line apart. */
export interface Series {
  readonly label: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Place in the palette. */
  readonly color: number;
  readonly isDashed?: boolean;
}

const WIDTH_PX = 620;
const HEIGHT_PX = 300;
const LEFT_PX = 70;
const TOP_PX = 50;
const LABELS_PX = 190;

/** Both axes are logarithmic, to base 2 and 10: a factor is the same distance everywhere. */
export function plotLines(title: string, xLabel: string, yLabel: string, series: readonly Series[]): string {
  const all = series.flatMap(({ points }) => points);
  const xs = [...new Set(all.map(([x]) => x))].sort((a, b) => a - b);
  const ticks = chooseTicks(all.map(([, y]) => y));
  const [low = 1, high = 10] = [ticks[0], ticks.at(-1)];
  const place = (value: number, from: number, to: number, length: number): number =>
    to === from ? length / 2 : (length * Math.log(value / from)) / Math.log(to / from);
  const x = (value: number): number => LEFT_PX + place(value, xs[0] ?? 1, xs.at(-1) ?? 1, WIDTH_PX);
  const y = (value: number): number => TOP_PX + HEIGHT_PX - place(value, low, high, HEIGHT_PX);
  const grid = { widthPx: 0.3 };
  const shapes = [
    svgText(LEFT_PX, 20, title),
    svgText(8, TOP_PX - 12, yLabel),
    svgText(LEFT_PX + WIDTH_PX / 2, TOP_PX + HEIGHT_PX + 38, xLabel, { anchor: 'middle' }),
    ...xs.flatMap((value) => [
      svgLine(
        [
          [x(value), TOP_PX],
          [x(value), TOP_PX + HEIGHT_PX],
        ],
        AXIS_COLOR,
        grid,
      ),
      svgText(x(value), TOP_PX + HEIGHT_PX + 18, String(value), { anchor: 'middle' }),
    ]),
    ...ticks.flatMap((value) => [
      svgLine(
        [
          [LEFT_PX, y(value)],
          [LEFT_PX + WIDTH_PX, y(value)],
        ],
        AXIS_COLOR,
        grid,
      ),
      svgText(LEFT_PX - 8, y(value) + 4, show(value).replace(/\.0+$/, ''), { anchor: 'end' }),
    ]),
  ];
  series.forEach(({ label, points, color: place_, isDashed = false }, at) => {
    const color = PALETTE[place_ % PALETTE.length] ?? AXIS_COLOR;
    const placed = points.map(([px, py]) => [x(px), y(py)] as const);
    shapes.push(svgLine(placed, color, { widthPx: 2, isDashed }));
    const labelY = TOP_PX + 12 + at * 20;
    const from = LEFT_PX + WIDTH_PX + 12;
    shapes.push(
      svgLine(
        [
          [from, labelY - 4],
          [from + 24, labelY - 4],
        ],
        color,
        { widthPx: 2, isDashed },
      ),
    );
    shapes.push(svgText(from + 30, labelY, label, { color }));
  });
  return svgDocument(LEFT_PX + WIDTH_PX + LABELS_PX, TOP_PX + HEIGHT_PX + 50, shapes);
}

/** 1, 2 and 5 times powers of ten that enclose `values`. */
export function chooseTicks(values: readonly number[]): number[] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const steps: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
    steps.push(...[1, 2, 5].map((digit) => digit * 10 ** power));
  const first = Math.max(0, steps.filter((step) => step <= low).length - 1);
  const last = steps.findIndex((step) => step >= high);
  return steps.slice(first, last + 1);
}
