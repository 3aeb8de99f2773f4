// Text in columns of a terminal, in which wide characters count twice.
import stringWidth from 'string-width';

/** Pads `text` with spaces to `width` columns. */
export function padColumns(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Cuts `text` in the middle to at most `width` columns (at least 3), because beginning and end distinguish names. */
export function cutColumns(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const characters = [...text];
  let kept = characters.length;
  const cut = (): string => {
    const head = Math.ceil(kept / 2);
    return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (kept - head)).join('')}`;
  };
  while (kept > 1 && stringWidth(cut()) > width) kept -= 1;
  return cut();
}

/** Breaks text at spaces into lines of at most `width` columns; a longer word stays whole. */
export function wrapColumns(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

/** Formats a table: a row of headings and rows, each column as wide as its widest cell. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, stringWidth(cell))),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, at) => padColumns(cell, widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
