// Images that a tab remembers while it is open: names and check identifiers, without the images.

const KEY = 'telltale-pictures';
/** Maximum number of remembered images, the latest ones. */
const MOST = 200;

/** Name of an image with its check, or null if it was not checked. */
export interface Remembered {
  readonly name: string;
  readonly checkId: string | null;
}

/** Returns the member's images of this tab, or an empty list. */
export function readItems(member: string): readonly Remembered[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as {
      member: string;
      items: Remembered[];
    } | null;
    return kept?.member === member ? kept.items : [];
  } catch {
    // The browser has no storage, or other code wrote this entry.
    return [];
  }
}

/** Stores the list. */
export function writeItems(member: string, items: readonly Remembered[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ member, items: items.slice(-MOST) }));
  } catch {
    // Without storage, or with a full one, nothing is remembered.
  }
}

/** Deletes the list. */
export function forgetItems(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without storage there is nothing to delete.
  }
}
