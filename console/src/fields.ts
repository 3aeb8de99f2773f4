// Reads the fields of a form.

/** Returns the text of the field `name`; an empty string if the field is missing or contains a file. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
