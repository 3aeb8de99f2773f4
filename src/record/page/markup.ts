// HTML templates that escape all inserted texts.

/** HTML that is inserted without escaping. */
export interface Html {
  readonly text: string;
}

type Part = Html | readonly Html[] | string | number | null | false;

/** Builds HTML from a template. Escapes inserted texts, but not inserted HTML, and leaves out null. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { text: parts.map((part, at) => part + write(values[at] ?? null)).join('') };
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
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part));
  return 'text' in part ? part.text : part.map(({ text }) => text).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML. Shows characters that change the direction of text as their code points. */
function escape(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (c) => `\\u${c.codePointAt(0)?.toString(16) ?? ''}`);
}
