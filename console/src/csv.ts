// Tables as files, made in the browser.
import { saveFile } from './save-file.js';

/** A name of a stranger must be no formula of whoever opens the table. */
const FORMULA = /^[=+\-@\t\r]/;

/** Has the browser save rows as CSV (RFC 4180). */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  const quote = (value: string | number): string => {
    const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = rows.map((row) => `${row.map(quote).join(',')}\r\n`).join('');
  saveFile(name, new Blob([text], { type: 'text/csv' }));
}
