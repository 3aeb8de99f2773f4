// Converts the OpenAPI document to JSON that client generators understand: named schemas become components.

type Json = Readonly<Record<string, unknown>>;

/** OpenAPI document. The named schemas are added to its `components`. */
interface Source extends Json {
  readonly components: Json;
}

/**
 * Converts a document to plain JSON. A schema with an $id becomes a component, and its uses become
 * references. A union of constants becomes an `enum`; a union of a basic type and null becomes a list of
 * types. Throws Error if two schemas have the same name.
 */
export function publish(document: Source): Json {
  const schemas = new Map<string, unknown>();

  const publishValue = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(publishValue);
    if (typeof value !== 'object' || value === null) return value;
    const { $id, published, ...members } = value as Json;
    if (published !== undefined) return publishValue(published);
    if (typeof $id !== 'string') return publishMembers(members);
    // Reserves the position, so that a component precedes the components that it contains.
    if (!schemas.has($id)) schemas.set($id, undefined);
    const schema = publishMembers(members);
    const definition = schemas.get($id) ?? schema;
    if (JSON.stringify(definition) !== JSON.stringify(schema))
      throw new Error(`two schemas are named ${$id}`);
    schemas.set($id, schema);
    return { $ref: `#/components/schemas/${$id}` };
  };

  const publishMembers = (members: Json): Json => {
    const entries = Object.entries({ ...members, ...simpler(members.anyOf) });
    const present = entries.filter(([, value]) => value !== undefined);
    return Object.fromEntries(present.map(([name, value]) => [name, publishValue(value)]));
  };

  const { components, ...members } = publishMembers(document);
  return { ...members, components: { ...(components as Json), schemas: Object.fromEntries(schemas) } };
}

/** Returns the simpler fields that replace `anyOf`, or no fields if `anyOf` must stay. */
function simpler(choices: unknown): Json {
  if (!Array.isArray(choices)) return {};
  const [first, last] = choices as readonly Json[];
  const values = (choices as readonly Json[]).map((choice) => choice.const);
  if (values.every((value) => typeof value === 'string'))
    return { anyOf: undefined, type: 'string', enum: values };
  const isBasic = typeof first?.type === 'string' && first.type !== 'object' && first.$id === undefined;
  if (choices.length !== 2 || !isBasic || last?.type !== 'null') return {};
  return { anyOf: undefined, ...first, type: [first.type, 'null'] };
}
