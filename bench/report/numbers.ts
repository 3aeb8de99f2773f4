// Numbers as readers want them.

/** Three significant digits or so: 0.0123, 1.23, 12.3, 123; '–' if there is none. */
export function show(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

/** Median and spread of rounds: `1.52 (1.48 to 1.60)`. */
export function showSpread(middle: number, [least, greatest]: readonly [number, number]): string {
  return least === greatest ? show(middle) : `${show(middle)} (${show(least)} to ${show(greatest)})`;
}
