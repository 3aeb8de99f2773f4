// HTML that needs no other files: templates that escape all inserted texts, and pages whose content security policy
// allows only their own style.
import { createHash } from 'node:crypto';

/** HTML that is inserted without escaping. */
export interface Html {
  readonly text: string;
}

type Part = Html | readonly Html[] | string | number | null | false;

/** Builds HTML from a template. Escapes inserted texts, but not inserted HTML, and leaves out null. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { text: parts.map((part, at) => part + write(values[at] ?? null)).join('') };
}

/** Parts of a page. */
interface PageParts {
  readonly title: string;
  /** Style sheet. It must not contain a closing tag. */
  readonly style: string;
  readonly body: Html;
}

/** Returns the content security policy of a page with this style sheet: browsers load or run nothing else. */
export function policyOf(style: string): string {
  const digest = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; img-src data:; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}

/** Builds a whole page, which contains its policy. */
export function buildDocument({ title, style, body }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body.text}
</body>
</html>
`;
}

/** Builds an HTML list of names and values. Leaves out values that are null or empty. */
export function facts(rows: readonly (readonly [name: string, value: string | null])[]): Html {
  const presentRows = rows.filter(([, value]) => value !== null && value !== '');
  return html`<dl>
    ${presentRows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div> `,
    )}
  </dl>`;
}

/** Shortens a text to `maximum` characters. A shortened text ends with an ellipsis. */
export function shorten(text: string, maximum: number): string {
  return text.length <= maximum ? text : `${text.slice(0, maximum - 1)}…`;
}

function write(part: Part): string {
  if (part === null || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'text' in part ? part.text : part.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes a text for HTML or SVG. Shows control characters and characters that change the direction of text as their code
 * points.
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u${c.codePointAt(0)?.toString(16) ?? ''}`);
}
