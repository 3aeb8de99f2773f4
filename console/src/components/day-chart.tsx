// Checks a day as bars, by uPlot; its legend tells the day under the pointer.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useStore } from '../store.js';
import { theme } from '../theme.js';

const HEIGHT = 240;
const HALF_DAY_S = 43_200;

/** `days` are whole days in UTC, in order. */
export function DayChart({
  days,
}: {
  days: readonly { readonly date: string; readonly checks: number }[];
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const chosen = useStore(theme);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
    const [ink, line, accent] = [colour('color'), colour('outline-color'), colour('accent-color')];
    const axis = {
      font: '12px Inter Variable',
      stroke: ink,
      grid: { stroke: line, width: 1 },
      ticks: { stroke: line, width: 1 },
    };
    const paths = uPlot.paths.bars?.({ size: [0.7, 48] });
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        scales: {
          // Half a day at each end, for the halves of the first and the last bar.
          x: { range: (_chart, low, high) => [low - HALF_DAY_S, high + HALF_DAY_S] },
          y: { range: (_chart, _low, high) => [0, Math.max(5, high * 1.1)] },
        },
        hooks: {
          // The legend has something to say only under the pointer.
          setCursor: [
            (drawn) => drawn.root.classList.toggle('pointed', typeof drawn.cursor.idx === 'number'),
          ],
        },
        axes: [
          {
            ...axis,
            incrs: [1, 2, 7, 14, 30, 60].map((count) => count * 2 * HALF_DAY_S),
            values: '{MMM} {D}',
          },
          { ...axis, size: 56, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000, 100_000] },
        ],
        series: [
          { label: 'Day (UTC)', value: '{YYYY}-{MM}-{DD}' },
          { label: 'Checks', stroke: accent, fill: accent, points: { show: false }, ...(paths && { paths }) },
        ],
      },
      [days.map(({ date }) => Date.parse(date) / 1000), days.map(({ checks }) => checks)],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [days, chosen]);
  return <div ref={box} class="chart" role="img" aria-label="Checks a day; the table has the same numbers" />;
}
