// Pages that need no other files, for reports of scans and calibrations.
import { buildDocument, html, type Html } from '../../html/html.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';

const STYLE = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem 1rem .2rem 0; }
  td.number { text-align: right; font-variant-numeric: tabular-nums; }
  ol { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1rem; }
  li { overflow-wrap: anywhere; font-size: 13px; line-height: 1.35; }
  img, .gone { display: block; width: 100%; aspect-ratio: 1; object-fit: contain; background: #8882; }
  .likely_ai { color: #b02a17; font-weight: 600; } .unclear { color: #7a5200; font-weight: 600; } svg { max-width: 100%; height: auto; }`;

/** Builds a page with a heading. Leaves out parts that are null. */
export function buildPage(title: string, parts: readonly (Html | null)[]): string {
  const body = html`<h1>${title}</h1>
    ${parts.filter((part) => part !== null)}`;
  return buildDocument({ title: `Telltale: ${title}`, style: STYLE, body });
}

/** An image in a gallery of a page. */
export interface GalleryItem {
  /** JPEG data, or null if the image is no longer available. */
  readonly jpeg: Uint8Array | null;
  readonly caption: Html;
  readonly name: string;
}

/** Returns a gallery with a heading; null without images. */
export function buildGallery(title: string, items: readonly GalleryItem[]): Html | null {
  if (items.length === 0) return null;
  const shown = items.map(({ jpeg, caption, name }) => {
    const image = jpeg
      ? html`<img alt="" src="data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}" />`
      : html`<span class="gone"></span>`;
    return html`<li>${image}${caption}<br />${visibleText(name)}</li> `;
  });
  return html`<h2>${title}</h2>
    <ol>
      ${shown}
    </ol> `;
}

/** Builds a table whose first row has the headings. Numbers are aligned right. */
export function buildTable(rows: readonly (readonly string[])[]): Html {
  const [headings = [], ...body] = rows;
  const lines = body.map((row) => {
    const cells = row.map((text) =>
      /^[\d.]+%?$/.test(text) ? html`<td class="number">${text}</td>` : html`<td>${text}</td>`,
    );
    return html`<tr>${cells}</tr> `; // prettier-ignore
  });
  return html`<table>
    <tr>${headings.map((text) => html`<th>${text}</th>`)}</tr>
    ${lines}
  </table> `; // prettier-ignore
}
