// The few SVG shapes that the plots are made of.

/** Colours that stay apart for colour-blind readers. Source: Okabe and Ito, Color Universal Design, 2008. */
export const PALETTE = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9'] as const;

/** Grey of axes and grids; readable on white and on black. */
export const AXIS_COLOR = '#808080';

/** A whole picture of `width` × `height` px on a transparent ground. */
export function svgDocument(width: number, height: number, shapes: readonly string[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return [`${open} font-family="sans-serif" font-size="12">`, ...shapes, '</svg>', ''].join('\n');
}

/** A line through points. */
export function svgLine(
  points: readonly (readonly [x: number, y: number])[],
  color: string,
  options: { readonly widthPx?: number; readonly isDashed?: boolean } = {},
): string {
  const path = points.map(([x, y]) => `${short(x)},${short(y)}`).join(' ');
  const dash = options.isDashed === true ? ' stroke-dasharray="4 4"' : '';
  return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="${options.widthPx ?? 1}"${dash}/>`;
}

/** A filled rectangle. */
export function svgBar(x: number, y: number, width: number, height: number, color: string): string {
  return `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${color}"/>`;
}

/** A line of text; `anchor` says which end stands at x. */
export function svgText(
  x: number,
  y: number,
  text: string,
  options: { readonly anchor?: 'start' | 'middle' | 'end'; readonly color?: string } = {},
): string {
  const { anchor = 'start', color = AXIS_COLOR } = options;
  return `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" fill="${color}">${escapeXml(text)}</text>`;
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Text for markup: its special characters as entities, control characters as spaces. */
export function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
  };
  return text.replace(/\p{Cc}/gu, ' ').replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
