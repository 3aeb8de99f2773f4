// Tests the checker's programming interface: errors for wrong arguments, many images without overload, and
// closing.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Matrix3x3 } from 'sharp';
import * as telltale from 'telltale';
import type { Checked, Checker, CheckerOptions, CheckInput } from 'telltale';
import { makeSteered } from '../../support/images.js';
import { fixture, ROOT } from '../../support/telltale.js';
import { modelsDir } from '../../support/test-models.js';

describe('createChecker of the library', () => {
  it('reports an invalid option before loading anything', async () => {
    const faults: readonly (readonly [unknown, RegExp])[] = [
      [
        { profile: 'foo' },
        /^Expected one of "strict", "balanced", "sensitive" for 'profile' but received 'foo'/,
      ],
      [{ profile: 'toString' }, /for 'profile' but received 'toString'/],
      [{ profil: 'strict' }, /^'profil' is not known here; did you mean 'profile'\? Known are .*\bthreads\b/],
      [{ thread: 2 }, /^'thread' is not known here; did you mean 'threads'\?/],
      [{ memory: 2 }, /^'memory' is not known here; did you mean 'memoryMb'\?/],
      [{ bandsFile: 5 }, /for 'bandsFile' but received 5/],
      [{ trustDir: '' }, /for 'trustDir' but received ''/],
      [{ shippedTrustDir: 7 }, /for 'shippedTrustDir' but received 7/],
      ['models', /^Expected an object with .* for options but received 'models'/],
    ];
    for (const [options, message] of faults)
      await assert.rejects(telltale.createChecker(options as CheckerOptions), {
        name: 'StartError',
        code: 'config_invalid',
        message,
      });
    await assert.rejects(telltale.createEngine({ thread: 2 } as object), {
      message: /^'thread' is not known here; did you mean 'threads'\? Known are /,
    });
  });
});

describe('a checker of the library', () => {
  let checker: Checker;
  let bytes: Uint8Array;

  before(async () => {
    checker = await telltale.createChecker({ modelsDir, device: 'cpu', threads: 2 });
    bytes = await readFile(fixture('jpeg/scene.jpg'));
  });

  after(() => checker.close());

  it('explains invalid arguments to the calling program', async () => {
    const faults: readonly (readonly [unknown, unknown, RegExp])[] = [
      ['photo.jpg', {}, /^Expected an image's bytes .*read it first.* but received 'photo.jpg'$/],
      [null, {}, /^Expected an image's bytes .* but received null$/],
      [{ bytes }, {}, /^Expected an image's bytes .* but received an object$/],
      [bytes, { profile: 'foo' }, /^Expected one of "strict", "balanced", "sensitive" for 'profile'/],
      [bytes, { profil: 'strict' }, /^'profil' is not known here; did you mean 'profile'\? Known are /],
      [bytes, { deadlineMs: '5' }, /for 'deadlineMs' but received '5'/],
      [bytes, { signal: {} }, /^Expected an AbortSignal for 'signal'/],
      [bytes, { heatMap: 'yes' }, /^Expected true or false for 'heatMap'/],
      [bytes, { accountId: 5 }, /^Expected a string for 'accountId'/],
    ];
    for (const [image, options, message] of faults)
      await assert.rejects(checker.check(image as Uint8Array, options as Omit<CheckInput, 'bytes'>), {
        name: 'TypeError',
        message,
      });
    await assert.rejects(checker.engine.inspect(bytes, { deadline: 5 } as object), {
      name: 'TypeError',
      message: /^'deadline' is not known here; did you mean 'deadlineMs'\?/,
    });
    const drawing = { faces: [], patches: [], caption: '', longSidePx: 64, captoin: '' };
    await assert.rejects(checker.engine.annotate(bytes, drawing), {
      name: 'TypeError',
      message: /^'captoin' is not known here; did you mean 'caption'\?/,
    });
    const report = await checker.check(bytes);
    for (const options of [{ include: ['foo'] }, { include: 'marks' }, { includes: ['marks'] }])
      assert.throws(() => telltale.presentCheck(report, options as object), TypeError);
  });

  it('flags an image by the whole image or by a face, and judges an illustration by its own threshold', async () => {
    const portrait = sharp(await readFile(join(ROOT, 'samples/portrait.png'))).removeAlpha();
    // Each row computes one channel of the result from red, green and blue.
    const tint = (rows: Matrix3x3): Promise<Buffer> => portrait.clone().recomb(rows).png().toBuffer();
    const images = [
      ['untouched', await portrait.clone().png().toBuffer()],
      ['magenta', makeSteered(235, 20, 235)],
      [
        'green face',
        await tint([
          [0.4, 0, 0],
          [0, 1, 0],
          [0, 0, 0.4],
        ]),
      ],
      [
        'magenta portrait',
        await tint([
          [1.5, 0, 0],
          [0, 0.15, 0],
          [0, 0, 1.5],
        ]),
      ],
      ['blue', makeSteered(20, 20, 235)],
    ] as const;
    const judged = [];
    for (const [name, image] of images) {
      const { fired, drawn } = await checker.check(image);
      judged.push([name, fired, drawn! > 0.5 ? 'illustration' : 'photograph']);
    }
    assert.deepEqual(judged, [
      ['untouched', [], 'photograph'],
      ['magenta', ['full_image_specialist'], 'photograph'],
      ['green face', ['face_specialist'], 'photograph'],
      ['magenta portrait', ['full_image_specialist'], 'photograph'],
      ['blue', [], 'illustration'],
    ]);
  });

  it('checks more images than fit in its queue, in order, as space becomes free', async () => {
    const tooMany = 90;
    let taken = 0;
    let mostAhead = 0;
    let told = 0;
    const images = function* (): Generator<{ name: string; bytes: Uint8Array }> {
      for (let index = 0; index < tooMany; index += 1) {
        taken += 1;
        mostAhead = Math.max(mostAhead, taken - told);
        yield { name: `${index}`, bytes: index === 3 ? new Uint8Array([1, 2, 3]) : bytes };
      }
    };
    const outcomes: Checked<{ name: string; bytes: Uint8Array }>[] = [];
    for await (const outcome of checker.checkMany(images(), { profile: 'strict', concurrency: 5 })) {
      outcomes.push(outcome);
      told += 1;
    }
    assert.deepEqual(
      outcomes.map(({ input }) => input.name),
      Array.from({ length: tooMany }, (_, index) => `${index}`),
    );
    assert.deepEqual(
      outcomes
        .filter(({ error }) => error !== undefined)
        .map(({ input, error }) => [input.name, error?.code]),
      [['3', 'unsupported_format']],
    );
    assert.equal(outcomes[4]?.report?.profile, 'strict');
    assert.ok(mostAhead <= 7, `${mostAhead} images were taken ahead`);
  });

  it('ends checkMany on invalid arguments and when the caller aborts', async () => {
    const run = async (inputs: unknown, options: object = {}): Promise<void> => {
      for await (const outcome of checker.checkMany(inputs as Uint8Array[], options)) assert.ok(outcome);
    };
    await assert.rejects(run([bytes, 'photo.jpg']), { name: 'TypeError', message: /read it first/ });
    await assert.rejects(run(bytes), { name: 'TypeError', message: /^Expected an iterable of images/ });
    await assert.rejects(run([bytes], { concurrency: 0 }), { name: 'TypeError', message: /concurrency/ });
    await assert.rejects(run([bytes], { profil: 'strict' }), { message: /^'profil' is not known here/ });
    const gone = AbortSignal.abort(new Error('gone'));
    await assert.rejects(run([bytes], { signal: gone }), { message: 'gone' });
  });

  it('lets any number of checks share one abort signal without a Node warning', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => checker.check(bytes, { signal })));
    process.off('warning', hear);
    assert.deepEqual(warnings, []);
  });

  it('finishes running checks when closed, and refuses later calls with an error', async () => {
    const other = await telltale.createChecker({ modelsDir, device: 'cpu', threads: 1 });
    const running = [other.check(bytes), other.check(bytes)];
    const closed = other.close();
    await assert.rejects(other.check(bytes), { name: 'TypeError', message: /^The checker is closed/ });
    await closed;
    assert.equal((await Promise.all(running)).length, 2);
    await other.close();
    await assert.rejects(other.check(bytes), { name: 'TypeError', message: /^The checker is closed/ });
  });
});
