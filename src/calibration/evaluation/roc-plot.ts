// The ROC curves of one detector, a line for each tier.
import { createSample, measure, rocCurve } from './measures.js';
import type { DetectorRows } from './report.js';
import { AXIS_COLOR, PALETTE, svgDocument, svgLine, svgText } from './svg.js';

const SIDE_PX = 400;
const LEFT_PX = 60;
const TOP_PX = 30;

/** An SVG; tiers in which a class is missing have no line. */
export function plotRoc(title: string, tiers: readonly DetectorRows[]): string {
  const x = (rate: number): number => LEFT_PX + rate * SIDE_PX;
  const y = (rate: number): number => TOP_PX + (1 - rate) * SIDE_PX;
  const shapes = [svgText(LEFT_PX, 18, title)];
  for (const tick of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
    shapes.push(
      svgLine(
        [
          [x(tick), y(0)],
          [x(tick), y(1)],
        ],
        AXIS_COLOR,
        { widthPx: 0.3 },
      ),
    );
    shapes.push(
      svgLine(
        [
          [x(0), y(tick)],
          [x(1), y(tick)],
        ],
        AXIS_COLOR,
        { widthPx: 0.3 },
      ),
    );
    shapes.push(svgText(x(tick), y(0) + 18, tick.toFixed(1), { anchor: 'middle' }));
    shapes.push(svgText(x(0) - 8, y(tick) + 4, tick.toFixed(1), { anchor: 'end' }));
  }
  shapes.push(
    svgLine(
      [
        [x(0), y(0)],
        [x(1), y(1)],
      ],
      AXIS_COLOR,
      { isDashed: true },
    ),
  );
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
