// What people wrote into a form.

/** The text of the field `name`; empty where the form has no such field, or a file there. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
}
