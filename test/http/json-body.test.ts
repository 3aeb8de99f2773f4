// JSON bodies read as they come: however they are torn into chunks, the document and its pictures come out the same.
import assert from 'node:assert/strict';
import { CheckError } from '../../src/errors.js';
import { Base64Decoder } from '../../src/http/base64.js';
import { ByteCollector } from '../../src/http/byte-collector.js';
import { JsonBodyReader, type JsonBody } from '../../src/http/json-body.js';

const tooLarge = (): CheckError => new CheckError('image_too_large', 'too large');

function read(chunks: readonly Buffer[], limitBytes = 1000): JsonBody {
  const reader = new JsonBodyReader(() => new Base64Decoder(new ByteCollector(limitBytes), tooLarge));
  for (const chunk of chunks) reader.write(chunk);
  return reader.finish();
}

/** All pictures of `{ "images": [{ "image_b64" }, ...] }` or of one object, decoded. */
function picturesOf(body: JsonBody): string[] {
  const value = body.value as { image_b64?: string; images?: { image_b64: string }[] };
  const items = value.images ?? [{ image_b64: value.image_b64 ?? '' }];
  return items.map((item) => body.decode(item.image_b64).toString());
}

const fails = (act: () => unknown, code: string): void => assert.throws(act, { code });

describe('a JSON body', () => {
  const text = 'one picture, 32 bytes of it ä/?>>';
  const base64 = Buffer.from(text).toString('base64');
  const documents: readonly [string, string, readonly string[]][] = [
    ['plain', `{"image_b64":"${base64}","store":true}`, [text]],
    ['with white space and what PHP escapes', `{ "image_b64"\n:\t"${base64.replaceAll('/', '\\/')}" }`, [text]],
    ['with escaped quotes and backslashes around', `{"a\\\\":"\\"image_b64","b":"\\\\","image_b64":"${base64}"}`, [text]],
    ['of several', `{"images":[{"image_b64":"${base64}"},{"image_b64":"QQ=="},{"image_b64":"QUI="}]}`, [text, 'A', 'AB']],
    ['with a name in escapes', `{"image\\u005fb64":"${base64}"}`, [text]],
  ]; // prettier-ignore

  for (const [title, document, expected] of documents) {
    it(`${title}, torn anywhere`, () => {
      const bytes = Buffer.from(document);
      for (let at = 0; at <= bytes.length; at += 1) {
        assert.deepEqual(picturesOf(read([bytes.subarray(0, at), bytes.subarray(at)])), expected);
      }
      const single = Array.from(bytes, (byte) => Buffer.from([byte]));
      assert.deepEqual(picturesOf(read(single)), expected);
    });
  }

  it('keeps all other values as they were', () => {
    const document = { note: 'image_b64', list: ['image_b64', 'x'], image_url: 'http://a/"\\"' };
    assert.deepEqual(read([Buffer.from(JSON.stringify(document))]).value, document);
  });

  it('refuses what is not standard base64, at its end too', () => {
    const bad = ['', '=', 'A', 'AA', 'AAA', 'A===', 'AA=A', 'AA==AAAA', 'AAAAA', 'AA-_', 'AA A', 'AAAA\\n', 'AA==AAAAAAAA', 'A*AAAAAA', 'AA\tAAAAAAA', 'AA-AAAAA', 'AA_AAAAA', 'ÄÄÄÄAAAA', '\\"\\"\\"\\"', '\\\\/AA', 'ÄÄÄÄ']; // prettier-ignore
    for (const one of bad) {
      const body = read([Buffer.from(`{"image_b64":"${one}"}`)]);
      fails(() => picturesOf(body), 'invalid_base64');
    }
  });

  it('refuses a picture over its limit, by one byte', () => {
    const document = (sizeBytes: number): Buffer[] => [
      Buffer.from(`{"image_b64":"${Buffer.alloc(sizeBytes, 1).toString('base64')}"}`),
    ];
    assert.equal(picturesOf(read(document(1000)))[0]?.length, 1000);
    fails(() => picturesOf(read(document(1001))), 'image_too_large');
  });

  it('refuses torn JSON, and bounds what is no picture', () => {
    for (const torn of [
      '{"image_b64":"AAAA',
      '{"image_b64":"AAAA"',
      '{"image_b64" "AAAA"}',
      '{"image_b64":AAAA}',
    ])
      fails(() => read([Buffer.from(torn)]), 'invalid_request');
    const wide = Array.from({ length: 3000 }, () =>
      Buffer.from(`{"image_b64":"AAAA","x":"${'y'.repeat(100)}"},`),
    );
    fails(() => read(wide), 'invalid_request');
  });
});

describe('collected bytes', () => {
  it('are the chunks in a row, whatever was expected', () => {
    for (const expected of [undefined, 0, 1, 7, 300_000, 1e9]) {
      const collector = new ByteCollector(200_000, expected);
      const chunks = Array.from({ length: 199 }, (_, index) => Buffer.alloc(1000, index));
      for (const chunk of chunks) assert.ok(collector.append(chunk));
      assert.deepEqual(collector.view(), Buffer.concat(chunks));
      assert.equal(collector.append(Buffer.alloc(1001)), false);
      assert.equal(collector.sizeBytes, 199_000);
      assert.ok(collector.view().buffer.byteLength <= 200_000, 'never more memory than the limit');
    }
  });
});
