// Tests that /openapi.json matches the schemas that the service validates and returns.
import assert from 'node:assert/strict';
import { Value } from '@sinclair/typebox/value';
import { DETAIL_NAMES, PROFILE_NAMES } from '../../../src/library/check/types.js';
import { ERROR_STATUS } from '../../../src/library/base/error-codes.js';
import { buildOpenApi } from '../../../src/service/http/openapi/openapi.js';
import { BATCH_EXAMPLE, CHECK_EXAMPLE, USAGE_EXAMPLE } from '../../../src/service/http/openapi/operation.js';
import { CheckResultSchema } from '../../../src/library/check/result-schema.js';
import { BatchResult, UsageRecord } from '../../../src/service/http/openapi/schemas.js';

/** Part of the OpenAPI document that these tests read. */
interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers: object }>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface Schema {
  readonly type?: string;
  readonly items?: Schema;
  readonly properties: Readonly<Record<string, Schema>>;
  readonly enum?: readonly string[];
}

const api = JSON.parse(JSON.stringify(buildOpenApi('1.2.3'))) as Api;

describe('/openapi.json', () => {
  it('lists every error code under its HTTP status', () => {
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
    // method_not_allowed belongs to no operation, because it is returned for methods that do not exist.
    const expected = Object.keys(ERROR_STATUS).filter((code) => code !== 'method_not_allowed');
    assert.deepEqual([...named].sort(), expected.sort());
    const codes = api.components.schemas.ErrorCode?.enum ?? [];
    assert.deepEqual([...codes].sort(), Object.keys(ERROR_STATUS).sort());
  });

  it('has a name, a tag, headers and valid examples for every operation', () => {
    const operations = Object.values(api.paths).flatMap((methods) => Object.values(methods));
    const names = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, operations.length);
    assert.ok(names.every((name) => /^[a-z][A-Za-z]+$/.test(name)));
    for (const { tags, responses } of operations) {
      assert.equal(tags.length, 1);
      for (const { headers } of Object.values(responses)) assert.ok('X-Request-Id' in headers);
      assert.ok('Retry-After' in (responses['429']?.headers ?? {}));
    }
    assert.ok(Value.Check(CheckResultSchema, CHECK_EXAMPLE));
    assert.ok(Value.Check(BatchResult, BATCH_EXAMPLE));
    assert.ok(Value.Check(UsageRecord, USAGE_EXAMPLE));
  });

  it('declares closed sets of values as enum, and every field of details', () => {
    const text = JSON.stringify(api);
    assert.doesNotMatch(text, /"anyOf":\[\{"const"/);
    const { Profile, Signal, CheckResult } = api.components.schemas;
    const { details } = CheckResult?.properties ?? {};
    assert.deepEqual(Profile?.enum, PROFILE_NAMES);
    assert.ok(Signal?.enum?.includes('content_credentials'));
    const told = Object.keys(details?.properties ?? {});
    assert.deepEqual(
      [...DETAIL_NAMES].filter((name) => !told.includes(name)),
      [],
    );
  });

  it('contains no boolean constant, and lists allowed values only in named schemas, for code generators', () => {
    const { components, ...rest } = api;
    assert.doesNotMatch(JSON.stringify(api), /"const":(true|false)/);
    assert.doesNotMatch(JSON.stringify(rest), /"enum"/);
    for (const [name, { enum: names, ...schema }] of Object.entries(components.schemas))
      assert.doesNotMatch(JSON.stringify(schema), /"enum"/, `${name} ${names?.length}`);
  });

  it('repeats no field of a body as a query parameter', () => {
    for (const methods of Object.values(api.paths)) {
      for (const { requestBody, parameters = [] } of Object.values(methods))
        assert.ok(!requestBody || parameters.every((parameter) => parameter.in !== 'query'));
    }
  });

  it('declares numbers and booleans in queries with their types', () => {
    const parameters = api.paths['/v1/checks']?.get?.parameters ?? [];
    const typeOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema.type;
    assert.deepEqual([typeOf('limit'), typeOf('is_ai')], ['integer', 'boolean']);
  });

  it('resolves every reference', () => {
    const references = [...JSON.stringify(api).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      (match) => match[1]!,
    );
    assert.ok(references.length > 5);
    for (const name of references) assert.ok(name in api.components.schemas, name);
    assert.ok(!JSON.stringify(api).includes('"$id"'));
  });

  it('contains the paths, upload formats and options in the specification', () => {
    assert.deepEqual(Object.keys(api.paths), [
      '/v1/check',
      '/v1/check/batch',
      '/v1/checks',
      '/v1/checks/{id}',
      '/v1/seen',
      '/v1/checks/{id}/feedback',
      '/v1/checks/{id}/appeals',
      '/v1/checks/{id}/appeals/image',
      '/v1/checks/{id}/appeals/{appeal}',
      '/v1/checks/{id}/appeal-links',
      '/v1/checks/{id}/appeal-links/{link}',
      '/v1/scans',
      '/v1/scans/{id}',
      '/v1/scans/{id}/results',
      '/v1/usage',
    ]);
    const content = api.paths['/v1/check']?.post?.requestBody?.content ?? {};
    assert.deepEqual(Object.keys(content), ['application/json', 'multipart/form-data']);
    assert.deepEqual(Object.keys(api.components.schemas.CheckJson?.properties ?? {}), [
      'image_url',
      'image_b64',
      'store',
      'profile',
      'include',
      'provenance',
      'sandbox',
      'ref',
    ]);
  });
});
