// Markup in which every text from outside is text.

/** Markup that is safe as it is. */
export interface Html {
  readonly text: string;
}

type Part = Html | readonly Html[] | string | number | null | false;

/** Markup with texts escaped, markup as it is, and null as nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { text: parts.map((part, at) => part + write(values[at] ?? null)).join('') };
}

/** Names and values; those that are null are left out. */
export function facts(rows: readonly (readonly [name: string, value: string | null])[]): Html {
  const known = rows.filter(([, value]) => value !== null && value !== '');
  return html`<dl>
    ${known.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div> `,
    )}
  </dl>`;
}

/** At most `most` characters of a text, with dots if something is left out. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
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

/** Characters that reorder what follows are shown by their numbers. */
function escape(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (c) => `\\u${c.codePointAt(0)?.toString(16) ?? ''}`);
}
