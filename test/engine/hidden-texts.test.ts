// Texts in the lowest bits of the pixels: found in the layouts that generators write, and nothing made of what is broken.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { readMarks } from '../../src/check/marks/marks.js';
import { createEngine } from '../../src/engine/native/engine.js';
import type { Engine } from '../../src/engine/types.js';
import { SETTINGS } from '../support/generator-layouts.js';
import { hideText, type Hiding } from '../support/stealth.js';
import { modelsDir } from '../support/test-models.js';

const NOVELAI = JSON.stringify({
  Description: '港の夕暮れ, a harbour at dusk',
  Software: 'NovelAI',
  Source: 'NovelAI Diffusion V4 37442FCA',
  Comment: '{"steps": 28, "sampler": "k_euler_ancestral", "uc": "lowres"}',
});
const WEB_UI = `a harbour at dusk\nNegative prompt: blurry\n${SETTINGS}`;

const LAYOUTS: readonly (readonly [title: string, text: string, Hiding, generator: string | null])[] = [
  ['NovelAI', NOVELAI, { channels: 'alpha', isPacked: true }, 'NovelAI'],
  ['NovelAI, not packed', NOVELAI, { channels: 'alpha', isPacked: false }, 'NovelAI'],
  ['NovelAI, WebP', NOVELAI, { channels: 'alpha', isPacked: true, format: 'webp' }, 'NovelAI'],
  ['a web UI', WEB_UI, { channels: 'alpha', isPacked: true }, 'Stable Diffusion (web UI)'],
  ['a web UI, colours', WEB_UI, { channels: 'rgb', isPacked: false }, 'Stable Diffusion (web UI)'],
  ['a web UI, colours, packed', WEB_UI, { channels: 'rgb', isPacked: true }, 'Stable Diffusion (web UI)'],
  ['an unknown program', 'a harbour', { channels: 'rgb', isPacked: true, format: 'webp' }, null],
];

describe('hidden texts', () => {
  let engine: Engine;
  before(async () => {
    engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
  });
  after(() => engine.close());

  for (const [title, text, hiding, generator] of LAYOUTS)
    it(`are found: ${title}`, async () => {
      const { texts } = await engine.searchPixels(await hideText(text, hiding));
      assert.deepEqual(texts, [{ where: 'stealth', name: hiding.channels, text }]);
      assert.deepEqual(
        readMarks(texts).map(({ kind, says, where, ...mark }) => [kind, says, where, mark.generator]),
        [['generation_parameters', 'generated', `stealth:${hiding.channels}`, generator]],
      );
    });

  it('are cut at 64 kB, however much is packed', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000, 'a'));
    const picture = await hideText('', { channels: 'alpha', isPacked: true, payload: bomb });
    assert.equal((await engine.searchPixels(picture)).texts[0]?.text.length, 65_536);
  });

  it('take up at most 128 kB', async () => {
    for (const [bytes, kept] of [
      [131_072, 65_536],
      [131_073, undefined],
    ] as const) {
      const hiding = { channels: 'alpha', isPacked: false, sidePx: 1100 } as const;
      const { texts } = await engine.searchPixels(await hideText('a'.repeat(bytes), hiding));
      assert.equal(texts[0]?.text.length, kept);
    }
  });

  it('are none where length or packing is broken', async () => {
    const broken: readonly Partial<Hiding>[] = [
      { announcedBits: 0 },
      { announcedBits: 7 },
      { announcedBits: 0xffff_ffff },
      // More than the picture holds.
      { announcedBits: 8 * 100_000 },
      { payload: Buffer.from('no gzip at all') },
      { payload: gzipSync(NOVELAI).subarray(0, 5) },
    ];
    for (const channels of ['alpha', 'rgb'] as const)
      for (const fault of broken) {
        const picture = await hideText(NOVELAI, { channels, isPacked: true, ...fault });
        const { texts } = await engine.searchPixels(picture);
        assert.deepEqual(texts, [], `${channels} ${JSON.stringify(fault)}`);
      }
  });

  it('are lost where a lowest bit of the signature is another one, and by JPEG', async () => {
    const picture = await hideText(NOVELAI, { channels: 'rgb', isPacked: true });
    const jpeg = await sharp(picture).jpeg({ quality: 100 }).toBuffer();
    assert.deepEqual((await engine.searchPixels(jpeg)).texts, []);
    const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
    data[0]! ^= 1;
    const changed = await sharp(data, { raw: info }).png().toBuffer();
    assert.deepEqual((await engine.searchPixels(changed)).texts, []);
  });
});
