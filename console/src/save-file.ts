// Saves files through the browser.
import { writeRows } from '../../src/tables/write-rows.js';

/** Saves `content` as a file with this name. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** Saves rows as CSV. */
export function saveCsv(name: string, rows: Parameters<typeof writeRows>[0]): void {
  saveFile(name, new Blob([writeRows(rows)], { type: 'text/csv' }));
}
