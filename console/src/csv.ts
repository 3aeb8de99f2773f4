// Saving tables as CSV files.
import { saveFile } from './save-file.js';

/** Matches text that spreadsheets would run as a formula. Names come from other people, so this could be an attack. */
const FORMULA = /^[=+\-@\t\r]/;

/** Saves rows as CSV. Source: RFC 4180. */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  const quote = (value: string | number): string => {
    const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = rows.map((row) => `${row.map(quote).join(',')}\r\n`).join('');
  saveFile(name, new Blob([text], { type: 'text/csv' }));
}
