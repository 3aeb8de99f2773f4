// Builds /openapi.json (OpenAPI 3.1) from the table of routes: schemas, errors and limits.
import { API_ROUTES } from '../routes.js';
import { WebhookEvent } from './scan-schemas.js';
import { HEADERS, describeRoute } from './operation.js';

/** Builds the document for a version of the package. */
export function buildOpenApi(version: string): Json {
  return publish({
    openapi: '3.1.0',
    info: {
      title: 'Telltale',
      version,
      description:
        'Detects AI-generated, AI-edited and face-swapped images. Send the API key with each request as ' +
        '`Authorization: Bearer API_KEY`. This document is `/openapi.json`.\n\n' +
        '    curl -H "Authorization: Bearer $API_KEY" -F file=@photo.jpg $URL/v1/check',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // A relative address, so that the document fits every installation.
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'checks', description: 'Check one image, or up to eight in a batch' },
      { name: 'scans', description: 'Check long lists in the background' },
      { name: 'usage', description: 'Number of checks used' },
      { name: 'webhooks', description: 'Events that the service sends' },
    ],
    paths: describePaths(),
    webhooks: { event: { post: WEBHOOK } },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'API key: tt_live_..., or the sandbox key tt_test_... for fixed results',
        },
      },
      headers: HEADERS,
    },
  });
}

/** Returns the operations of all routes by path and method. */
function describePaths(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of API_ROUTES)
    (paths[route.path.replace(/:(\w+)/g, '{$1}')] ??= {})[route.method] = describeRoute(route);
  return paths;
}

const WEBHOOK = {
  operationId: 'webhookEvent',
  tags: ['webhooks'],
  summary: 'Receive an event of the account',
  description:
    'The service sends the event by POST to the https addresses that the account chose, signed according to the ' +
    'Standard Webhooks specification: webhook-id (the same for every attempt, because an event may arrive twice), ' +
    'webhook-timestamp and webhook-signature (two signatures while the secret is rotated). Without a 2xx response ' +
    'within 10 s, the service tries again for 24 hours, with growing pauses. It does not follow redirects. A response ' +
    'with status 410 disables the webhook.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: WebhookEvent } } },
  responses: { '2XX': { description: 'The event was received' } },
};

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
function publish(document: Source): Json {
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
