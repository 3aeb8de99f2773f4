// Reading the fields of a form.

/** Returns the text of the field `name`, or an empty string for a missing field or a file. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
