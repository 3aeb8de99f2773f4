// Tests the engine through JavaScript: real files, concurrency, abort signals, time limits and refusals.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import type { Engine } from '../../../src/library/engine/types.js';
import { CheckError } from '../../../src/library/base/errors.js';
import { makeBmp } from '../../support/images.js';
import { modelsDir } from '../../support/test-models.js';

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url));
const hasCode = (code: string) => (error: unknown) => error instanceof CheckError && error.code === code;

describe('the engine', () => {
  let engine: Engine;
  let portrait: Buffer;
  let scene: Buffer;
  before(async () => {
    [portrait, scene] = await Promise.all([
      read('samples/portrait.png'),
      read('test/fixtures/images/jpeg/scene.jpg'),
    ]);
    engine = await createEngine({ modelsDir, device: 'cpu', threads: 2 });
  });
  after(() => engine.close());

  it('reads an image header without decoding the pixels', async () => {
    const sniffed = await engine.sniff(scene);
    assert.deepEqual(sniffed, {
      format: 'jpeg',
      width: 288,
      height: 256,
      orientation: 1,
      frameCount: 1,
      jpegQuality: sniffed.jpegQuality,
      hasManifest: false,
    });
    assert.equal((await engine.sniff(portrait)).jpegQuality, null);
    await assert.rejects(engine.sniff(Buffer.from('no image at all')), hasCode('unsupported_format'));
    await assert.rejects(engine.sniff('no bytes' as unknown as Uint8Array), TypeError);
  });

  it('finds and scores the face of a portrait, scores the whole image and measures the time of each step', async () => {
    const inspection = await engine.inspect(portrait, { heatMap: true });
    const { width, height } = await engine.sniff(portrait);
    assert.deepEqual([inspection.width, inspection.height], [width, height]);
    assert.equal(inspection.faces.length, 1);
    const [face] = inspection.faces;
    assert.ok(face && face.confidence > 0 && face.confidence <= 1);
    const { manipulated, generated } = face;
    assert.ok(manipulated >= 0 && manipulated <= 1 && generated >= 0 && generated <= 1);
    assert.ok(Math.abs(face.score - (1 - (1 - manipulated) * (1 - generated))) < 1e-12);
    assert.equal(inspection.patches.length, 400);
    assert.ok(Math.min(face.box[2], face.box[3]) >= 64);
    for (const { box, score } of inspection.patches) {
      const [x, y, w, h] = box;
      assert.ok(x >= 0 && y >= 0 && x + w <= width && y + h <= height && score >= 0 && score <= 1);
    }
    assert.ok(inspection.fullImageScore >= 0 && inspection.fullImageScore <= 1);
    for (const spent of Object.values(inspection.timings)) assert.ok(spent >= 0);
  });

  it('scores two images that stand side by side in one image separately', async () => {
    // The colours of this image repeat after 256 px, so the engine finds two equal images in it.
    const { panels, panel, fullImageScore, drawn, views } = await engine.inspect(makeBmp(512, 300));
    assert.equal(panels.length, 2);
    assert.ok(views > 1, 'each is seen');
    for (const { box } of panels) assert.ok(box[0] % 256 < 8 && box[2] > 240 && box[2] < 256, String(box));
    const named = panels.find(({ box }) => panel !== null && box.join() === panel.join());
    assert.equal(named === undefined, panel === null);
    if (named) assert.deepEqual([named.score, named.drawn], [fullImageScore, drawn]);
    for (const { score } of panels) assert.ok(score >= 0 && score <= 1);
    const alone = await engine.inspect(makeBmp(250, 250));
    assert.deepEqual([alone.panels, alone.panel], [[], null]);
  });

  it('reports no face if the image contains none', async () => {
    assert.deepEqual((await engine.inspect(scene)).faces, []);
  });

  it('returns the same result for each of many concurrent images as for one image at a time', async () => {
    const start = engine.stats();
    const alone = [await engine.inspect(portrait), await engine.inspect(scene)];
    const before = engine.stats();
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, i) => engine.inspect(i % 2 ? scene : portrait)),
    );
    results.forEach((result, i) => {
      // The results are equal to the last bit, because on the CPU each image is computed in a separate run.
      assert.equal(result.fullImageScore, alone[i % 2]!.fullImageScore);
      assert.deepEqual(result.faces, alone[i % 2]!.faces);
    });
    const { inspected, batchers, running, queued } = engine.stats();
    assert.equal(inspected - before.inspected, 24);
    assert.deepEqual([running, queued], [0, 0]);
    const of = (id: keyof typeof batchers) => ({
      rows: batchers[id].rows - before.batchers[id].rows,
      batches: batchers[id].batches - before.batchers[id].batches,
    });
    assert.equal(of('face_detector').rows, 24);
    assert.equal(of('encoder').rows, 12 * (before.batchers.encoder.rows - start.batchers.encoder.rows));
    assert.equal(of('encoder').batches, of('encoder').rows);
  });

  it('accepts any JavaScript bytes: pooled buffers, parts of arrays, shared and resizable memory', async () => {
    const { fullImageScore } = await engine.inspect(scene);
    const padded = new Uint8Array(scene.length + 20);
    padded.set(scene, 13);
    const shared = new Uint8Array(new SharedArrayBuffer(scene.length));
    shared.set(scene);
    const Resizable = ArrayBuffer as unknown as new (
      size: number,
      options: { maxByteLength: number },
    ) => ArrayBuffer;
    const resizable = new Uint8Array(new Resizable(scene.length, { maxByteLength: 2 * scene.length }));
    resizable.set(scene);
    const inspections = [padded.subarray(13, 13 + scene.length), shared, resizable].map((bytes) =>
      engine.inspect(bytes),
    );
    (resizable.buffer as unknown as { resize(size: number): void }).resize(0);
    for (const inspection of inspections) assert.equal((await inspection).fullImageScore, fullImageScore);
    await assert.rejects(engine.inspect('picture' as never), {
      name: 'TypeError',
      message: "Expected a Uint8Array for bytes but received 'picture'",
    });
  });

  it('rejects with an error code if the bytes are not an image', async () => {
    await assert.rejects(engine.inspect(Buffer.from('hello')), hasCode('unsupported_format'));
    await assert.rejects(engine.inspect(new Uint8Array(0)), hasCode('unsupported_format'));
    await assert.rejects(engine.inspect(portrait.subarray(0, portrait.length / 2)), hasCode('image_corrupt'));
    await assert.rejects(
      engine.annotate(portrait.subarray(0, 900), { faces: [], patches: [], caption: '', longSidePx: 100 }),
      hasCode('image_corrupt'),
    );
  });

  it('rejects with the reason of the abort signal before the start, while waiting and while running', async () => {
    const reason = new Error('no longer wanted');
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(engine.inspect(portrait, { signal: aborted }), reason);

    const { inspected } = engine.stats();
    const controller = new AbortController();
    const doomed = Array.from({ length: 10 }, () => engine.inspect(portrait, { signal: controller.signal }));
    // The loop blocks the event loop until an inspection runs, so that no result is delivered before the abort.
    while (engine.stats().running === 0 && engine.stats().inspected === inspected);
    controller.abort(reason);
    for (const { status, ...rest } of await Promise.allSettled(doomed)) {
      assert.equal(status, 'rejected');
      assert.equal((rest as PromiseRejectedResult).reason, reason);
    }
    // Running inspections were finished and waiting ones dropped: the engine is soon free, without doing all
    // the work.
    await engine.inspect(scene);
    assert.ok(engine.stats().inspected - inspected < 10);
  });

  it('stops an inspection at its time limit', async () => {
    await assert.rejects(engine.inspect(portrait, { deadlineMs: 0 }), hasCode('deadline_exceeded'));
    const crowd = Array.from({ length: 16 }, () => engine.inspect(portrait));
    await assert.rejects(engine.inspect(portrait, { deadlineMs: 1 }), hasCode('deadline_exceeded'));
    await Promise.all(crowd);
    await engine.inspect(scene, { deadlineMs: 600_000 });
    await engine.inspect(scene, { deadlineMs: 2 ** 31 - 1 });
    for (const deadlineMs of [-1, 2 ** 31, Infinity, Number.NaN, '5' as never]) {
      await assert.rejects(engine.inspect(scene, { deadlineMs }), TypeError);
    }
  });

  it('stops drawing an annotated image at the time limit and when the caller aborts', async () => {
    const plain = { faces: [], patches: [], caption: '', longSidePx: 100 };
    await assert.rejects(engine.annotate(portrait, plain, { deadlineMs: 1 }), { code: 'deadline_exceeded' });
    const reason = new Error('called off');
    await assert.rejects(engine.annotate(portrait, plain, { signal: AbortSignal.abort(reason) }), reason);
  });

  it('draws faces and a heat map on an image, and recompresses an image', async () => {
    const { faces, patches } = await engine.inspect(portrait, { heatMap: true });
    const png = await engine.annotate(portrait, {
      faces: faces.map(({ box }) => ({ box, label: 'face', alarm: true })),
      patches,
      caption: 'No AI detected',
      longSidePx: 300,
    });
    const drawn = await engine.sniff(png);
    assert.deepEqual([drawn.format, Math.max(drawn.width, drawn.height)], ['png', 300]);
    const jpeg = await engine.sniff(await engine.recompress(portrait, { longSidePx: 200, quality: 75 }));
    assert.equal(jpeg.format, 'jpeg');
    assert.equal(Math.max(jpeg.width, jpeg.height), 200);
    assert.ok(Math.abs(jpeg.jpegQuality! - 75) <= 2);
    await assert.rejects(engine.recompress(portrait, { longSidePx: 0, quality: 75 }), TypeError);
    await assert.rejects(engine.recompress(portrait, { longSidePx: 100, quality: 101 }), TypeError);
  });

  it('inspects fewer crops of a clear case, and all crops if a heat map or a number of crops is requested', async () => {
    const sure = portrait;
    const early = await engine.inspect(sure);
    assert.ok(early.views < engine.views, `${early.views} of ${engine.views}`);
    assert.deepEqual(early.patches, []);
    const mapped = await engine.inspect(sure, { heatMap: true });
    assert.deepEqual([mapped.views, mapped.fullImageScore], [engine.views, early.fullImageScore]);
    assert.notEqual(mapped.patches.length, 0);
    const told = await createEngine({ modelsDir, device: 'cpu', threads: 1, views: engine.views });
    const all = await told.inspect(sure);
    await told.close();
    assert.equal(all.views, engine.views);
    assert.notEqual(all.fullImageScore, early.fullImageScore);
    await assert.rejects(engine.inspect(sure, { heatMap: 'yes' as never }), TypeError);
  });

  it('inspects the requested number of crops', async () => {
    for (const views of [1, 8]) {
      const asked = await createEngine({ modelsDir, device: 'cpu', threads: 1, views });
      const inspection = await asked.inspect(portrait);
      const { rows } = asked.stats().batchers.encoder;
      await asked.close();
      assert.equal(rows - inspection.faces.length, views);
      assert.deepEqual([asked.views, inspection.views], [views, views]);
    }
  });

  it('alternates between accounts, however many images one account has sent', async () => {
    const order: string[] = [];
    const ask = (accountId: string): Promise<unknown> =>
      engine.inspect(scene, { accountId }).then(() => order.push(accountId));
    const crowd = Array.from({ length: 40 }, () => ask('greedy'));
    assert.ok(engine.stats().queued >= 37, 'those that wait for their turn are counted');
    await ask('other');
    // The other account waits only for the running inspections and one queued inspection. On a busy machine the
    // second thread may finish several more meanwhile, but far from all.
    assert.ok(order.length <= 20, `${order.length - 1} came first`);
    const left = new Error('no longer wanted');
    const gone = new AbortController();
    const waiting = engine.inspect(scene, { accountId: 'greedy', signal: gone.signal });
    gone.abort(left);
    await assert.rejects(waiting, left);
    await assert.rejects(engine.inspect(scene, { accountId: 'greedy', deadlineMs: 1 }), {
      code: 'deadline_exceeded',
    });
    await Promise.all(crowd);
    assert.deepEqual([engine.stats().running, engine.stats().queued], [0, 0]);
  });

  it('keeps the event loop free while inspecting', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    try {
      await Promise.all(Array.from({ length: 8 }, () => engine.inspect(portrait)));
    } finally {
      clearInterval(counting);
    }
    assert.ok(turns > 8, `${turns} turns`);
  });

  it('reads headers and metadata outside the event loop, in parallel with inspections', async () => {
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    const busy = Array.from({ length: 12 }, () => engine.inspect(portrait).then(note('inspected')));
    const [header, texts] = [
      engine.sniff(scene).then(note('read')),
      engine.readMetadata(scene).then(note('read')),
    ];
    note('returned')();
    await Promise.all([header, texts]);
    assert.equal(order[0], 'returned');
    // A busy machine may finish some inspections first. Work that waits behind all inspections would come last.
    assert.ok(order.length <= 9, `${order.length - 3} inspections came first`);
    await Promise.all(busy);
  });
});

describe('an engine with a small queue', () => {
  it('refuses work that does not fit in its queue and finishes accepted work', async () => {
    const scene = await read('test/fixtures/images/jpeg/scene.jpg');
    const engine = await createEngine({ modelsDir, device: 'cpu', threads: 1, queueLimit: 2 });
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => engine.inspect(scene)));
    const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.ok(refused.length > 0 && refused.length <= 27, `${refused.length} refused`);
    for (const { reason } of refused)
      assert.ok(hasCode('overloaded')(reason) && (reason as CheckError).status === 503);
    assert.equal(engine.stats().refused, refused.length);
    assert.equal(engine.stats().inspected, 30 - refused.length);
    await engine.close();
  });
});
