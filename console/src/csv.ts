// Tables as files, made in the browser.
import { saveFile } from './save-file.js';

/** Has the browser save rows as CSV (RFC 4180). */
export function saveCsv(name: string, rows: readonly (readonly (string | number)[])[]): void {
  const quote = (value: string | number): string => {
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const text = rows.map((row) => `${row.map(quote).join(',')}\r\n`).join('');
  saveFile(name, new Blob([text], { type: 'text/csv' }));
}
