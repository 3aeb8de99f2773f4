// Tests reading a JSON body in chunks: the result must not depend on where the chunks end.
import assert from 'node:assert/strict';
import { CheckError } from '../../../src/library/base/errors.js';
import { Base64Decoder } from '../../../src/service/http/body/base64.js';
import { ByteCollector } from '../../../src/library/base/bytes.js';
import { JsonBodyReader, type JsonBody, type ImageRules } from '../../../src/service/http/body/json-body.js';

const tooLarge = (): CheckError => new CheckError('image_too_large', 'too large');

const newDecoder = (): Base64Decoder => new Base64Decoder(new ByteCollector(1000), tooLarge);

function read(chunks: readonly Buffer[], rules: Partial<ImageRules> = {}): JsonBody {
  const refuseMore = (): CheckError => new CheckError('invalid_request', 'too many');
  const reader = new JsonBodyReader({ newDecoder, maxImages: 8, refuseMore, ...rules });
  for (const chunk of chunks) reader.write(chunk);
  return reader.finish();
}

/** Returns the decoded images of `{ "images": [{ "image_b64" }, ...] }` or of a single object. */
function imagesOf(body: JsonBody): string[] {
  const value = body.value as { image_b64?: string; images?: { image_b64: string }[] };
  const items = value.images ?? [{ image_b64: value.image_b64 ?? '' }];
  return items.map((item) => body.decode(item.image_b64).toString());
}

/** Returns the bytes split into two chunks at every position, and into single bytes. */
function tear(document: string): (readonly Buffer[])[] {
  const bytes = Buffer.from(document);
  const pairs = Array.from({ length: bytes.length + 1 }, (_, at) => [
    bytes.subarray(0, at),
    bytes.subarray(at),
  ]);
  return [...pairs, Array.from(bytes, (byte) => Buffer.from([byte]))];
}

const fails = (act: () => unknown, code: string): void => assert.throws(act, { code });

describe('the reader of JSON bodies with base64 images', () => {
  const text = 'one image, 32 bytes of it ä/?>>';
  const base64 = Buffer.from(text).toString('base64');
  const documents: readonly [string, string, readonly string[]][] = [
    ['a single image', `{"image_b64":"${base64}","store":true}`, [text]],
    ['white space and slashes escaped as in PHP', `{ "image_b64"\n:\t"${base64.replaceAll('/', '\\/')}" }`, [text]],
    ['characters escaped as in .NET', `{"image_b64":"Pj4\\u002BPz8\\u002fPj4\\u002bPz8\\/YQ\\u003D\\u003d"}`, ['>>>???>>>???a']],
    ['base64 written entirely in escapes', `{"image_b64":"\\u0051\\u0051\\u003D\\u003D"}`, ['A']],
    ['an image after escaped quotes and backslashes', `{"a\\\\":"\\"image_b64","b":"\\\\","image_b64":"${base64}"}`, [text]],
    ['several images', `{"images":[{"image_b64":"${base64}"},{"image_b64":"QQ=="},{"image_b64":"QUI="}]}`, [text, 'A', 'AB']],
    ['a member name with escapes', `{"image\\u005fb64":"${base64}"}`, [text]],
  ]; // prettier-ignore

  for (const [title, document, expected] of documents) {
    it(`reads ${title}, even if the body is split at any byte`, () => {
      for (const chunks of tear(document)) assert.deepEqual(imagesOf(read(chunks)), expected);
    });
  }

  it('leaves all other values unchanged', () => {
    const document = { note: 'image_b64', list: ['image_b64', 'x'], image_url: 'http://a/"\\"' };
    assert.deepEqual(read([Buffer.from(JSON.stringify(document))]).value, document);
  });

  it('refuses non-standard base64, even at the end', () => {
    const bad = ['', '=', 'A', 'AA', 'AAA', 'A===', 'AA=A', 'AA==AAAA', 'AAAAA', 'AA-_', 'AA A', 'AAAA\\n', 'AA==AAAAAAAA', 'A*AAAAAA', 'AA\tAAAAAAA', 'AA-AAAAA', 'AA_AAAAA', 'ÄÄÄÄAAAA', '\\"\\"\\"\\"', '\\\\/AA', 'ÄÄÄÄ']; // prettier-ignore
    for (const one of bad) {
      const body = read([Buffer.from(`{"image_b64":"${one}"}`)]);
      fails(() => imagesOf(body), 'invalid_base64');
    }
  });

  it('refuses a JSON escape that is not base64, even if the body is split at any byte', () => {
    const bad = ['AAA\\u002', 'AAA\\u00', 'AAA\\u', 'AAA\\u002G', 'AAA\\U002B', 'AAA\\x2B', 'AAA\\u012B', 'AAA\\u00AB', 'AAA\\u000A', 'AA\\u002D\\u005F', 'AAA\\n', '\\\\/AAA', '\\\\u002FAAA', '\\u005C/AAA', '\\u005C/AAAAAAA', '\\u005Cu002FAAA', '\\u005C\\u002FAAA']; // prettier-ignore
    for (const one of bad) {
      for (const chunks of tear(`{"image_b64":"${one}"}`))
        fails(() => imagesOf(read(chunks)), 'invalid_base64');
    }
    const late = read([Buffer.from('{"image\\u005fb64":"\\\\/AAA"}')]);
    fails(() => imagesOf(late), 'invalid_base64');
  });

  it('refuses one image too many before allocating memory, and uses the last of two fields with the same name', () => {
    const many = Buffer.from(`{${Array.from({ length: 2600 }, () => '"image_b64":"QQ=="').join()}}`);
    for (const maxImages of [1, 8]) {
      let made = 0;
      const rules = { maxImages, newDecoder: () => ((made += 1), newDecoder()) };
      fails(() => read([many], rules), 'invalid_request');
      assert.equal(made, maxImages);
    }
    const twice = Buffer.from('{"image_b64":"QQ==","image_b64":"QUI="}');
    assert.deepEqual(imagesOf(read([twice])), ['AB']);
  });

  it('reports how many bytes of the body precede each image', () => {
    const before = `{"note":"${'x'.repeat(5000)}","image_b64":"`;
    const document = `${before}QQ==","image\\u005fb64":"QUI="}`;
    for (const chunks of [[Buffer.from(document)], Array.from(document, (byte) => Buffer.from(byte))]) {
      const told: number[] = [];
      imagesOf(read(chunks, { newDecoder: (readBytes) => (told.push(readBytes), newDecoder()) }));
      assert.deepEqual(told, [before.length, document.length]);
    }
  });

  it('refuses an image one byte larger than the limit', () => {
    const document = (sizeBytes: number): Buffer[] => [
      Buffer.from(`{"image_b64":"${Buffer.alloc(sizeBytes, 1).toString('base64')}"}`),
    ];
    assert.equal(imagesOf(read(document(1000)))[0]?.length, 1000);
    fails(() => imagesOf(read(document(1001))), 'image_too_large');
  });

  it('refuses truncated JSON and limits the size of values other than images', () => {
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

  it('refuses JSON with more than 1000 members and items', () => {
    const parts = `{${Array.from({ length: 12_000 }, (_, index) => `"${index}":1`).join(',')}}`;
    assert.throws(() => read([Buffer.from(parts)]), /more than 1000 members and items/);
  });

  it('stops parsing after 1000 object keys or array items', () => {
    for (const strings of ['{"', '{"include":["'].map((start) => `${start}${'a","'.repeat(1000)}`)) {
      const refuseMore = (): CheckError => new CheckError('invalid_request', 'too many');
      const reader = new JsonBodyReader({ newDecoder, maxImages: 8, refuseMore });
      assert.throws(() => reader.write(Buffer.from(strings)), /more than 1000 members and items/);
    }
  });
});

describe('collecting a body of unknown size', () => {
  it('returns all chunks in order, whatever size was expected', () => {
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
