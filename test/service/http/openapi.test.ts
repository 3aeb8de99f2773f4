// One source of truth: what /openapi.json publishes is what the service checks and answers.
import assert from 'node:assert/strict';
import { ERROR_STATUS } from '../../../src/base/error-codes.js';
import { buildOpenApi } from '../../../src/service/http/openapi/openapi.js';
import { DOCS_PAGE } from '../../../src/service/http/openapi/docs-page.js';

/** The part of OpenAPI's shape that is read here. */
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly anyOf?: readonly { readonly const: string }[];
}

const api = JSON.parse(JSON.stringify(buildOpenApi('1.2.3'))) as Api;

describe('/openapi.json', () => {
  it('names every code of the registry, each under its status', () => {
    const named = new Set<string>();
    for (const methods of Object.values(api.paths)) {
      for (const operation of Object.values(methods)) {
        for (const [status, response] of Object.entries(operation.responses)) {
          if (Number(status) < 300) continue;
          for (const part of response.description.split('; ')) {
            const code = /^([a-z_0-9]+): /.exec(part)?.[1];
            if (code === undefined) continue;
            assert.equal(String(ERROR_STATUS[code as keyof typeof ERROR_STATUS]), status, code);
            named.add(code);
          }
        }
      }
    }
    // One code belongs to no operation: of a method that there is not.
    const expected = Object.keys(ERROR_STATUS).filter((code) => code !== 'method_not_allowed');
    assert.deepEqual([...named].sort(), expected.sort());
    const codes = api.components.schemas.Error?.properties.error?.properties.code?.anyOf ?? [];
    assert.deepEqual(codes.map((one) => one.const).sort(), Object.keys(ERROR_STATUS).sort());
  });

  it('resolves every reference', () => {
    const references = [...JSON.stringify(api).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1]!,
    );
    assert.ok(references.length > 5);
    for (const name of references) assert.ok(name in api.components.schemas, name);
    assert.ok(!JSON.stringify(api).includes('"$id"'));
  });

  it('has the paths, the ways of sending and the options of the specification', () => {
    assert.deepEqual(Object.keys(api.paths), [
      '/v1/check',
      '/v1/check/batch',
      '/v1/checks',
      '/v1/checks/{id}',
      '/v1/checks/{id}/feedback',
      '/v1/scans',
      '/v1/scans/{id}',
      '/v1/scans/{id}/results',
      '/v1/usage',
    ]);
    const content = api.paths['/v1/check']?.post?.requestBody?.content ?? {};
    assert.deepEqual(Object.keys(content), ['multipart/form-data', 'application/json']);
    assert.deepEqual(Object.keys(content['application/json']?.schema.properties ?? {}), [
      'image_url',
      'image_b64',
      'store',
      'profile',
      'include',
      'ref',
    ]);
  });
});

describe('/docs', () => {
  it('loads nothing from elsewhere', () => {
    assert.ok(!/https?:\/\//.test(DOCS_PAGE));
    assert.ok(!/innerHTML/.test(DOCS_PAGE));
  });
});
