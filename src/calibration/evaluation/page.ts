// Builds HTML pages that need no other files, for reports of scans and calibrations.
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { escapeXml } from './plots.js';

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1rem .2rem 0; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; }
  ol { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1rem; }
  li { overflow-wrap: anywhere; font-size: 13px; line-height: 1.35; }
  img, .gone { display: block; width: 100%; aspect-ratio: 1; object-fit: contain; background: #8882; }
  .likely_ai { color: #b02a17; font-weight: 600; } .unclear { color: #7a5200; font-weight: 600; } svg { max-width: 100%; height: auto; }`;

/** Builds a page. `parts` are HTML in which all text from outside must already be escaped. */
export function buildPage(title: string, parts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Telltale: ${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeXml(title)}</h1>
${parts.filter((part) => part !== '').join('\n')}
</body>
</html>
`;
}

/** An image in a gallery of a page. */
export interface GalleryItem {
  /** JPEG data, or null if the image is no longer available. */
  readonly jpeg: Uint8Array | null;
  /** Caption as HTML. */
  readonly caption: string;
  /** Name as received. `buildGallery` escapes it. */
  readonly name: string;
}

/** Builds a gallery with a heading; an empty string if there are no images. */
export function buildGallery(title: string, items: readonly GalleryItem[]): string {
  if (items.length === 0) return '';
  const shown = items.map(({ jpeg, caption, name }) => {
    const image =
      jpeg === null
        ? '<span class="gone"></span>'
        : `<img alt="" src="data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}">`;
    return `<li>${image}${caption}<br>${escapeXml(visibleText(name))}</li>`;
  });
  return `<h2>${escapeXml(title)}</h2>\n<ol>\n${shown.join('\n')}\n</ol>`;
}

/** Builds a table whose first row has the headings. Cells are plain text; numbers are aligned right. */
export function buildTable(rows: readonly (readonly string[])[]): string {
  const [headings = [], ...body] = rows;
  const head = headings.map((text) => `<th>${escapeXml(text)}</th>`).join('');
  const lines = body.map((row) => {
    const cells = row.map((text) =>
      /^[\d.]+%?$/.test(text) ? `<td class="number">${text}</td>` : `<td>${escapeXml(text)}</td>`,
    );
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table>\n<tr>${head}</tr>\n${lines.join('\n')}\n</table>`;
}
