// Tests every documented refusal of an image, each with a real file and the real engine.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { createChecker, type Checker } from '../../../src/library/check/checker.js';
import { MAX_IMAGE_BYTES } from '../../../src/library/base/limits.js';
import { makeBmp } from '../../support/images.js';
import { fixture } from '../../support/telltale.js';
import { modelsDir } from '../../support/test-models.js';

const FORMATS = [
  'jpeg/scene.jpg',
  'png/scene.png',
  'webp/scene.webp',
  'avif/scene.avif',
  'gif/scene.gif',
  'tiff/scene.tif',
];

describe('a check of a real file by the engine', () => {
  let checker: Checker;
  let scene: Buffer;
  before(async () => {
    checker = await createChecker({ modelsDir, device: 'cpu' });
    scene = await readFile(fixture('jpeg/scene.jpg'));
  });
  after(() => checker.close());

  const refuses = (bytes: Uint8Array, code: string, message: RegExp): Promise<void> =>
    assert.rejects(checker.check(bytes), (error: { code: string; message: string; expose: boolean }) => {
      assert.equal(error.code, code, error.message);
      assert.match(error.message, message);
      assert.equal(error.expose, true);
      return true;
    });

  for (const name of [...FORMATS, 'a BMP']) {
    it(`accepts ${name}, and refuses the truncated image with image_corrupt`, async () => {
      const bytes = name === 'a BMP' ? makeBmp(300, 260) : await readFile(fixture(name));
      const report = await checker.check(bytes);
      assert.ok(report.fullImageScore !== null && report.fullImageScore >= 0 && report.fullImageScore <= 1);
      assert.match(report.reason, /^(AI detected|Unclear|No AI detected): /);
      await refuses(bytes.subarray(0, Math.floor(bytes.length * 0.6)), 'image_corrupt', /^The [A-Z]+ file /);
    });
  }

  it('refuses a file of one byte over 20 MiB with image_too_large', async () => {
    const padded = (size: number): Uint8Array => Buffer.concat([scene, Buffer.alloc(size - scene.length)]);
    await refuses(padded(MAX_IMAGE_BYTES + 1), 'image_too_large', /20 MB/);
    assert.equal((await checker.check(padded(MAX_IMAGE_BYTES))).image.width, 288);
  });

  for (const [name, bytes, message] of [
    ['an empty file', Buffer.alloc(0), /^The file is empty\./],
    [
      'text',
      Buffer.from('This is an image, honestly.'),
      /^The file format is not supported\. Send JPEG, PNG/,
    ],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"/>'), /^SVG files/],
    ['HEIC', Buffer.from('000000186674797068656963000000006d69663168656963', 'hex'), /^HEIC files/],
    ['PDF', Buffer.from('%PDF-1.7\n'), /^PDF files are not supported\. Send each image as JPEG or PNG\.$/],
  ] as const) {
    it(`refuses ${name} with unsupported_format and says what to send`, () =>
      refuses(bytes, 'unsupported_format', message));
  }

  it('refuses an image whose shorter side is under 256 px with image_too_small', async () => {
    await refuses(await readFile(fixture('jpeg/444.jpg')), 'image_too_small', /97 × 75 px.*at least 256 px/);
  });

  it('refuses an image whose header states too many pixels, with image_too_many_pixels', async () => {
    const png = await readFile(fixture('png/scene.png'));
    png.writeUInt32BE(100_000, 16);
    png.writeUInt32BE(100_000, 20);
    png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
    await refuses(png, 'image_too_many_pixels', /^The image has 100000 x 100000 px\./);
  });

  it('refuses a JPEG of quality below 50 with jpeg_quality_too_low', async () => {
    const saved = (quality: number): Promise<Uint8Array> =>
      checker.engine.recompress(scene, { longSidePx: 1000, quality });
    await refuses(await saved(40), 'jpeg_quality_too_low', /quality is about 40.*At least about 50/);
    await refuses(await saved(49), 'jpeg_quality_too_low', /quality is about 49/);
    assert.equal((await checker.check(await saved(50))).image.jpegQuality, 50);
  });

  it('refuses an image by its header before decoding its pixels', async () => {
    const small = await readFile(fixture('jpeg/444.jpg'));
    await refuses(small.subarray(0, small.length - 200), 'image_too_small', /./);
    const rough = await checker.engine.recompress(scene, { longSidePx: 1000, quality: 30 });
    await refuses(rough.subarray(0, rough.length - 200), 'jpeg_quality_too_low', /./);
  });

  it('rejects with deadline_exceeded if no time is left', async () => {
    await assert.rejects(checker.check(scene, { deadlineMs: 1 }), { code: 'deadline_exceeded', status: 504 });
  });

  it('rejects with the reason of the abort signal', async () => {
    const controller = new AbortController();
    const check = checker.check(scene, { signal: controller.signal });
    const reason = new Error('called off');
    controller.abort(reason);
    await assert.rejects(check, reason);
  });

  it('rejects with a TypeError after the checker was closed', async () => {
    const closed = await createChecker({ modelsDir, device: 'cpu' });
    await closed.close();
    await closed.close();
    await assert.rejects(closed.check(scene), { name: 'TypeError', message: /closed/ });
  });
});
