// What a tab remembers of its images while it is open: names and identifiers of checks, nothing of the images.

const KEY = 'telltale-pictures';
/** Images that are remembered: those given last. */
const MOST = 200;

/** An image by its name, and its check; null where it was not checked. */
export interface Remembered {
  readonly name: string;
  readonly checkId: string | null;
}

/** What this tab had of the member; empty where there is nothing, or it was another's. */
export function readItems(member: string): readonly Remembered[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as {
      member: string;
      items: Remembered[];
    } | null;
    return kept?.member === member ? kept.items : [];
  } catch {
    // A browser without the storage, or what something else wrote there.
    return [];
  }
}

/** Remembers the list as it is now. */
export function writeItems(member: string, items: readonly Remembered[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ member, items: items.slice(-MOST) }));
  } catch {
    // A full storage, or none: then nothing is remembered.
  }
}

/** Forgets it. */
export function forgetItems(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Then there is nothing to forget.
  }
}
