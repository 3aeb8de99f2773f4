// Charts of numbers per day, drawn with uPlot: checks as bars, shares as lines. The legend shows the day under the
// pointer.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useStore } from '../store.js';
import { theme } from '../theme.js';

const HEIGHT = 240;
const HALF_DAY_S = 43_200;

/** Colours of text and lines, taken from the style sheet. */
interface Ink {
  readonly ink: string;
  readonly line: string;
  readonly accent: string;
}

/** Properties in which the two charts differ: the series, the range of values and the marks on the axis. */
interface Plot {
  readonly series: (ink: Ink) => uPlot.Series[];
  readonly range: (high: number) => [number, number];
  readonly marks: number[];
}

/** Draws a bar for each day's checks. `days` are consecutive days in UTC. */
export function DayChart({
  days,
}: {
  days: readonly { readonly date: string; readonly checks: number }[];
}): JSX.Element {
  const plot = (): Plot => {
    const paths = uPlot.paths.bars?.({ size: [0.7, 48] });
    return {
      series: ({ accent }) => [
        { label: 'Checks', stroke: accent, fill: accent, points: { show: false }, ...(paths && { paths }) },
      ],
      range: (high) => [0, Math.max(5, high * 1.1)],
      marks: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000],
    };
  };
  const box = useChart(days, plot, () => [
    days.map(({ date }) => Date.parse(date) / 1000),
    days.map(({ checks }) => checks),
  ]);
  return (
    <div ref={box} class="chart" role="img" aria-label="Checks per day. The table has the same numbers" />
  );
}

/**
 * Draws two lines of daily values from 0 to 1; null leaves a gap. The second line is dashed, so that colour is not the
 * only difference.
 */
export function ShareChart({
  days,
  lines,
}: {
  days: readonly string[];
  lines: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}): JSX.Element {
  const plot = (): Plot => ({
    series: ({ accent, ink }) =>
      lines.map(({ label }, at) => ({
        label,
        stroke: at === 0 ? accent : ink,
        width: 2,
        ...(at > 0 && { dash: [6, 4] }),
        points: { show: true, size: 5 },
        value: (_chart: uPlot, value: number | null) => (value === null ? '–' : value.toFixed(2)),
      })),
    range: () => [0, 1],
    marks: [0.25, 0.5, 1],
  });
  const box = useChart(lines, plot, () => [
    days.map((date) => Date.parse(date) / 1000),
    ...lines.map(({ values }) => [...values]),
  ]);
  const label = `${lines.map((line) => line.label).join(' and ')} a day; the table has the same numbers`;
  return <div ref={box} class="chart" role="img" aria-label={label} />;
}

/** Draws a chart. Draws it again when `key` or the theme changes. */
function useChart(key: unknown, plot: () => Plot, read: () => uPlot.AlignedData) {
  const box = useRef<HTMLDivElement>(null);
  const chosen = useStore(theme);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const chart = new uPlot(optionsOf(element, plot()), read(), element);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [key, chosen]);
  return box;
}

function optionsOf(element: HTMLElement, { series, range, marks }: Plot): uPlot.Options {
  const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
  const ink = { ink: colour('color'), line: colour('outline-color'), accent: colour('accent-color') };
  const axis = {
    font: '12px Inter Variable',
    stroke: ink.ink,
    grid: { stroke: ink.line, width: 1 },
    ticks: { stroke: ink.line, width: 1 },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      // Adds half a day at both ends, so that the first and the last bar are not cut off.
      x: { range: (_chart, low, high) => [low - HALF_DAY_S, high + HALF_DAY_S] },
      y: { range: (_chart, _low, high) => range(high) },
    },
    hooks: {
      // Shows the legend only while the pointer is over the chart.
      setCursor: [(drawn) => drawn.root.classList.toggle('pointed', typeof drawn.cursor.idx === 'number')],
    },
    axes: [
      { ...axis, incrs: [1, 2, 7, 14, 30, 60].map((count) => count * 2 * HALF_DAY_S), values: '{MMM} {D}' },
      { ...axis, size: 56, incrs: marks },
    ],
    series: [{ label: 'Day (UTC)', value: '{YYYY}-{MM}-{DD}' }, ...series(ink)],
  };
}
