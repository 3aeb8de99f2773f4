// Writes CSV that spreadsheets and RFC 4180 understand.

/** Matches text that spreadsheets would run as a formula. Names come from other people, so this could be an attack. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns rows as CSV (RFC 4180). Text that would be a formula begins with an apostrophe. */
export function writeRows(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(quote).join(',')}\r\n`).join('');
}

function quote(value: string | number): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
