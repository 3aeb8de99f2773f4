// The members of a JSON Schema with what it says of each.
import type { TSchema } from '@sinclair/typebox';

/** Every member with its dotted name, `[]` for the entries of a list, in the schema's order. */
export function listMembers(schema: TSchema, at = ''): readonly (readonly [name: string, meaning: string])[] {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (anyOf) return anyOf.flatMap((one) => listMembers(one, at));
  if (items && !Array.isArray(items)) return listMembers(items, `${at}[]`);
  return Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const path = at === '' ? name : `${at}.${name}`;
    return [[path, member.description ?? ''] as const, ...listMembers(member, path)];
  });
}
