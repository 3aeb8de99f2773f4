// HTML templates that escape every inserted text.

/** Markup that needs no escaping. */
export interface Html {
  readonly text: string;
}

type Part = Html | readonly Html[] | string | number | null | false;

/** Builds markup: escapes texts, inserts markup unchanged, and leaves out null. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { text: parts.map((part, at) => part + write(values[at] ?? null)).join('') };
}

/** Builds a list of names and values, without values that are null or empty. */
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

/** Cuts a text to at most `most` characters and ends it with an ellipsis if something was cut. */
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

/** Escapes a text. Shows characters that change the text direction as their code points. */
function escape(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu, (c) => `\\u${c.codePointAt(0)?.toString(16) ?? ''}`);
}
