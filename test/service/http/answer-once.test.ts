import assert from 'node:assert/strict';
import { answerOnce } from '../../../src/service/http/checks/idempotency.js';
import type { Context } from '../../../src/service/http/state.js';

describe('a request without an Idempotency-Key', () => {
  it('is handled without computing hashes of its images', async () => {
    const ctx = { headers: {} } as unknown as Context;
    const deps = {} as Parameters<typeof answerOnce>[1];
    const digest = (): string => assert.fail('the request was hashed');
    assert.equal(await answerOnce(ctx, deps, digest, () => Promise.resolve('answer')), 'answer');
  });
});
