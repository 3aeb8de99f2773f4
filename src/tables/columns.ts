// Aligning text in columns of a terminal, where wide characters, such as Chinese ones, take two columns.
import stringWidth from 'string-width';

/** Pads `text` with spaces to `width` columns. */
export function padColumns(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Shortens a text in the middle to `width` columns (at least 3), because names differ at their ends. */
export function cutColumns(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const characters = [...text];
  let keptCount = characters.length;
  const cut = (): string => {
    const head = Math.ceil(keptCount / 2);
    return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (keptCount - head)).join('')}`;
  };
  while (keptCount > 1 && stringWidth(cut()) > width) keptCount -= 1;
  return cut();
}

/** Breaks a text at spaces into lines of at most `width` columns. Does not break longer words. */
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

/** Formats rows as a table. The first row has the headings; each column is as wide as its widest cell. */
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
