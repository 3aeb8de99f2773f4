// Remembers images while a tab is open and after a reload: their names and check identifiers, but not the images.

const KEY = 'telltale-pictures';
/** Maximum number of remembered images. The oldest are dropped. */
const MOST = 200;

/** Name of an image, with the identifier of its check; null if the image was not checked. */
export interface Remembered {
  readonly name: string;
  readonly checkId: string | null;
}

/** Returns the images that this tab remembers for a member. */
export function readItems(member: string): readonly Remembered[] {
  try {
    const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as {
      member: string;
      items: Remembered[];
    } | null;
    return stored?.member === member ? stored.items : [];
  } catch {
    // The browser has no storage, or the entry is not from this code.
    return [];
  }
}

export function writeItems(member: string, items: readonly Remembered[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ member, items: items.slice(-MOST) }));
  } catch {
    // Remembers nothing if the browser has no storage or the storage is full.
  }
}

/** Deletes all remembered images. */
export function forgetItems(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing is stored if the browser has no storage.
  }
}
