// Tests multipart forms: the parts that are kept, their order, and refusals.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import Koa from 'koa';
import { MAX_IMAGE_BYTES } from '../../../src/library/base/limits.js';
import { CheckError } from '../../../src/library/base/errors.js';
import { PieceCollector } from '../../../src/library/base/bytes.js';
import { receiveForm, receiveList } from '../../../src/service/http/body/multipart.js';
import type { Context, RequestState } from '../../../src/service/http/state.js';

const MAX_BODY = MAX_IMAGE_BYTES + 1_048_576;
const IMAGE = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256));

interface Received {
  readonly status: number;
  readonly body: {
    readonly images?: readonly string[];
    readonly sizes?: readonly number[];
    readonly fields?: readonly (readonly [string, string])[];
    readonly list?: number | null;
    readonly code?: string;
    readonly message?: string;
  };
}

/** Returns one part of a form: the text after `form-data; ` and the part's bytes. */
function part(head: string, bytes: string | Buffer, type = ''): Buffer {
  const typeLine = type === '' ? '' : `\r\nContent-Type: ${type}`;
  return Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${head}${typeLine}\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);
}

/** Counts the bytes of an uploaded list, and refuses the list at the first `!`. */
async function countBytes(list: AsyncIterable<Buffer>): Promise<number> {
  let count = 0;
  for await (const chunk of list) {
    if (chunk.includes('!')) throw new CheckError('plan_required', 'the reader refuses');
    count += chunk.byteLength;
  }
  return count;
}

const form = (...parts: readonly Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from('--b--\r\n')]);

describe('the images in a multipart form', () => {
  let server: Server;
  let port: number;

  before(async () => {
    const app = new Koa<RequestState>();
    app.use(async (ctx: Context) => {
      try {
        if (ctx.path === '/list') {
          ctx.body = await receiveList(ctx, countBytes);
          return;
        }
        const { images, fields } = await receiveForm(
          ctx,
          { maxBytes: MAX_BODY, refuse: () => new CheckError('image_too_large', 'the body') },
          {
            imageName: 'file',
            maxImages: 8,
            refuseMore: () => new CheckError('invalid_batch', 'more'),
            expectedBytes: undefined,
          },
        );
        const isSmall = images.every(({ byteLength }) => byteLength < 1000);
        ctx.body = {
          ...(isSmall && { images: images.map((image) => image.toString('hex')) }),
          sizes: images.map(({ byteLength }) => byteLength),
          fields,
        };
      } catch (error) {
        if (!(error instanceof CheckError)) throw error;
        ctx.status = error.status;
        ctx.body = { code: error.code, message: error.message };
      }
    });
    const answer = app.callback();
    server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends a form in pieces of `step` bytes, and returns its parts. */
  function send(
    body: Buffer,
    step = 65_536,
    type = 'multipart/form-data; boundary=b',
    path = '/',
  ): Promise<Received> {
    return new Promise((resolve, reject) => {
      const sent = request({ port, path, method: 'POST', headers: { 'content-type': type } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Received['body'] }),
        );
      });
      sent.on('error', reject);
      for (let at = 0; at < body.byteLength; at += step) sent.write(body.subarray(at, at + step));
      sent.end();
    });
  }

  const refused = async (body: Buffer, message: RegExp, code = 'invalid_request'): Promise<void> => {
    const answer = await send(body);
    assert.equal(answer.status, 400);
    assert.equal(answer.body.code, code);
    assert.match(answer.body.message ?? '', message);
  };

  const mixed = form(
    part('name="file"; filename="a.png"', Buffer.concat([IMAGE, Buffer.from('1')]), 'image/png'),
    part('name="store"', 'true'),
    part('name="file"', Buffer.concat([IMAGE, Buffer.from('2')])),
    part('name="file"; filename=""', Buffer.concat([IMAGE, Buffer.from('3')]), 'application/octet-stream'),
    part('name="include[]"; filename="x"', 'märks'),
    part('name="file"', Buffer.concat([IMAGE, Buffer.from('4')]), 'application/octet-stream'),
    part('name="__proto__"', 'ß'),
    part('name="file"; filename="pfad/ä.png"', Buffer.concat([IMAGE, Buffer.from('5')])),
    part('name="file"; filename="."', ''),
  );

  for (const step of [1, 7, 100, 65_536])
    it(`arrive unchanged and in order if the form is sent ${step} bytes at a time`, async () => {
      const { status, body } = await send(mixed, step);
      assert.equal(status, 200, JSON.stringify(body));
      const digits = [1, 2, 3, 4, 5].map((digit) => Buffer.concat([IMAGE, Buffer.from(String(digit))]));
      assert.deepEqual(body.images, [...digits.map((image) => image.toString('hex')), '']);
      assert.deepEqual(body.fields, [
        ['store', 'true'],
        ['include[]', 'märks'],
        ['__proto__', 'ß'],
      ]);
    });

  it('are refused if the form ends early at any byte', async () => {
    const small = form(part('name="file"; filename="a"', 'abc'), part('name="store"', '1'));
    const ends = Array.from({ length: small.byteLength - 4 }, (_, at) => at);
    const answers = await Promise.all(ends.map((end) => send(small.subarray(0, end))));
    for (const [end, { status, body }] of answers.entries()) {
      assert.deepEqual([status, body.code], [400, 'invalid_request'], `${end} bytes`);
      assert.match(body.message ?? '', /damaged or ends early/);
    }
  });

  it('are read up to one byte beyond the size limit, with or without a file name, without affecting other images', async () => {
    const large = Buffer.alloc(MAX_IMAGE_BYTES + 70_000, 0xff);
    for (const head of ['name="file"; filename="a"', 'name="file"']) {
      const { body } = await send(form(part(head, large), part(head, IMAGE)));
      assert.deepEqual(body.sizes, [MAX_IMAGE_BYTES + 1, 512], head);
      const exact = await send(form(part(head, large.subarray(0, MAX_IMAGE_BYTES))));
      assert.deepEqual(exact.body.sizes, [MAX_IMAGE_BYTES], head);
    }
  });

  it('are refused if there are too many of them, or too many, too long or unnamed fields', async () => {
    const store = part('name="store"', '1');
    assert.equal((await send(form(...Array.from({ length: 20 }, () => store)))).status, 200);
    await refused(form(...Array.from({ length: 21 }, () => store)), /more than 20 fields/);
    const file = part('name="other"; filename="a"', '1');
    await refused(form(...Array.from({ length: 21 }, () => file)), /more than 20 fields/);
    for (const head of ['name="store"', 'name="store"; filename="a"']) {
      assert.equal((await send(form(part(head, 'a'.repeat(4096))))).status, 200);
      await refused(form(part(head, 'a'.repeat(4097))), /more than 4096 bytes/);
    }
    for (const head of ['name="file"', 'name="file"; filename="a"']) {
      const image = part(head, 'x');
      assert.equal((await send(form(...Array.from({ length: 8 }, () => image)))).body.sizes?.length, 8);
      await refused(form(...Array.from({ length: 9 }, () => image)), /more/, 'invalid_batch');
    }
    for (const head of ['filename="a"', 'name=""', 'name=""; filename="a"'])
      await refused(form(part(head, 'x')), /without a name/);
    await refused(Buffer.from('--b\r\nno header\r\n\r\nx\r\n--b--\r\n'), /damaged/);
  });

  it('are refused if the content type states no boundary', async () => {
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary', 'multipart/form-data;;']) {
      const { status, body } = await send(mixed, 65_536, type);
      assert.deepEqual([status, body.code], [400, 'invalid_request']);
      assert.match(body.message ?? '', /boundary/);
    }
  });

  it('are refused as soon as an error is found, while the client is still sending', async () => {
    const many = Buffer.concat(Array.from({ length: 2000 }, () => part('name="file"; filename="a"', 'x')));
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 5000000\r\n\r\n',
        );
        socket.write(many);
      });
      socket.setEncoding('utf8').once('data', (text: string) => {
        socket.destroy();
        resolve(text);
      });
      socket.on('error', reject);
    });
    assert.match(answer, /"code":"invalid_batch"/);
  });

  it('reach the parser in pieces of equal size, however small the received chunks are', () => {
    const sizes: number[] = [];
    const body = new PieceCollector((piece) => sizes.push(piece.byteLength));
    for (let at = 0; at < 200_000; at += 1) body.append(Buffer.from([at % 256]));
    body.flush();
    assert.deepEqual(sizes, [65_536, 65_536, 65_536, 3392]);
  });

  it('may be an uploaded list, which goes to the list reader whatever its Content-Type; other parts become fields', async () => {
    const sendList = (...parts: readonly Buffer[]): Promise<Received> =>
      send(form(...parts), 1000, undefined, '/list');
    const large = Buffer.alloc(3_000_000, 'a');
    const profile = part('name="profile"', 'strict');
    for (const head of ['name="file"; filename="a.csv"', 'name="file"']) {
      const { body } = await sendList(part(head, large), profile);
      assert.deepEqual(body, { list: large.byteLength, fields: [['profile', 'strict']] }, head);
    }
    assert.deepEqual((await sendList(profile)).body.list, null);
    // Small enough to be sent completely, because this server does not read the rest of a refused body.
    const some = large.subarray(0, 20_000);
    const list = part('name="file"; filename="a.csv"', some);
    const faults: readonly (readonly [parts: readonly Buffer[], message: RegExp])[] = [
      [[list, list], /more than one field 'file'/],
      [
        [part('name="file"; filename="a"', Buffer.concat([Buffer.from('!'), some])), profile],
        /the reader refuses/,
      ],
      [
        [part('name="file"', Buffer.alloc(4_200_000, 'a'))],
        /more than 4 MB; send the field 'file' as a file/,
      ],
      [
        [part('name="other"; filename="a"', some)],
        /'other' has more than 4096 bytes; a file goes into the field 'file'/,
      ],
    ];
    for (const [parts, message] of faults)
      assert.match((await sendList(...parts)).body.message ?? '', message);
    const { body } = await send(form(list).subarray(0, 10_000), 65_536, undefined, '/list');
    assert.match(body.message ?? '', /damaged or ends early/);
  });
});
