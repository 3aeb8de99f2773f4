// Appeals for tests: images that can be compared, and the requests of an account or of a link's holder.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import sharp from 'sharp';
import { readKeyId } from '../../src/accounts/key-text.js';
import { findKey } from '../../src/accounts/keys.js';
import type { AppealLink, AppealList, AppealSchema } from '../../src/service/http/openapi/appeal-schemas.js';
import { postForm, postJson, send, type Answer, type ServiceBench } from './service.js';
import { ROOT } from './telltale.js';

const sample = (name: string): Buffer => readFileSync(join(ROOT, 'samples', name));
export const ORIGINAL = sample('portrait.png');
export const OTHER = sample('scene.jpg');

/** Returns a copy as somebody might find it on the web: a part of the original, shrunk and recompressed. */
export const met = async (): Promise<Buffer> =>
  sharp(await sharp(ORIGINAL).extract({ left: 60, top: 0, width: 350, height: 350 }).png().toBuffer())
    .resize(300)
    .jpeg({ quality: 75 })
    .toBuffer();

/** Reads the created appeal from a response. */
export function readAppeal(answer: Answer): Static<typeof AppealSchema> {
  assert.equal(answer.status, 201, answer.text);
  return JSON.parse(answer.text) as Static<typeof AppealSchema>;
}

/** Returns functions that send requests to the running service. `key` may be a link's token where links are valid. */
export function appealRequests(bench: () => ServiceBench) {
  const path = (id: string, what = 'appeals'): string => `${bench().url}/v1/checks/${id}/${what}`;
  return {
    path,
    appeal: (id: string, key: string, bytes: Uint8Array, fields = {}, headers = {}): Promise<Answer> =>
      postForm(path(id), key, 'file', [bytes], fields, headers),
    list: async (id: string, key: string): Promise<Static<typeof AppealList>> => {
      const answer = await send(path(id), { headers: { authorization: `Bearer ${key}` } });
      assert.equal(answer.status, 200, answer.text);
      return JSON.parse(answer.text) as Static<typeof AppealList>;
    },
    /** Checks an image and returns the id of the check. */
    check: async (key: string, bytes: Uint8Array, query = '?store=true'): Promise<string> => {
      const answer = await postForm(`${bench().url}/v1/check${query}`, key, 'file', [bytes]);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.id;
    },
    newLink: async (id: string, key: string, body = {}): Promise<Static<typeof AppealLink>> => {
      const answer = await postJson(path(id, 'appeal-links'), key, body);
      assert.equal(answer.status, 201, answer.text);
      return JSON.parse(answer.text) as Static<typeof AppealLink>;
    },
    accountOf: async (key: string): Promise<string> =>
      (await findKey(bench().database, readKeyId(key)!))!.accountId,
  };
}
