// The columns of a table by their names: people write them with blanks and in any case.

/** Where the first of `names` stands in a header; -1 if none does. Neither case nor white space around a name counts. */
export function findColumn(header: readonly string[], names: readonly string[]): number {
  const plain = header.map(plainName);
  return names.map((name) => plain.indexOf(plainName(name))).find((index) => index !== -1) ?? -1;
}

/** A column's name without what does not count in it. */
export function plainName(name: string): string {
  return name.trim().toLowerCase();
}
