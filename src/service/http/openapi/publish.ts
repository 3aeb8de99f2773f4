// From the shapes that requests are checked by to the document that generators of clients read.

type Json = Readonly<Record<string, unknown>>;

/**
 * A document as plain JSON. A schema with an $id becomes a reference to the component of that name. A union of constants
 * becomes an `enum`, which generators make a type of.
 */
export function publish(document: Json): Json {
  return publishMembers(document);
}

function publishValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(publishValue);
  if (typeof value !== 'object' || value === null) return value;
  const { $id, anyOf } = value as { readonly $id?: unknown; readonly anyOf?: readonly unknown[] };
  if (typeof $id === 'string') return { $ref: `#/components/schemas/${$id}` };
  return publishMembers({ ...value, ...(anyOf && closedSet(anyOf)) });
}

function publishMembers(members: Json): Json {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, publishValue(value)]));
}

/** Members that take the place of `anyOf` if each of its choices is a constant; none otherwise. */
function closedSet(choices: readonly unknown[]): Json {
  const values = choices.map((choice) => (choice as Json).const);
  if (values.includes(undefined)) return {};
  const types = new Set(values.map((value) => typeof value));
  if (types.size === 1) return { anyOf: undefined, type: [...types][0], enum: values };
  // What can be said in several ways, such as true, 1 and '1', is published in the one that clients should take.
  return types.has('boolean') ? { anyOf: undefined, type: 'boolean' } : {};
}
