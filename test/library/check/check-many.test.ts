// Tests checking many images: order, results, concurrency and how a run ends.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { checkMany, type ManyInput } from '../../../src/library/check/check-many.js';
import { CheckError } from '../../../src/library/base/errors.js';
import type { CheckReport } from '../../../src/library/check/report.js';

const image = (id: number): Uint8Array => new Uint8Array([id]);
/** Returns a minimal result from which a test can recognise the image. */
const report = (bytes: Uint8Array): CheckReport => ({ id: String(bytes[0]) }) as unknown as CheckReport;

async function run<T extends ManyInput>(
  inputs: Iterable<T> | AsyncIterable<T>,
  check: (bytes: Uint8Array) => Promise<CheckReport> = (bytes) => Promise.resolve(report(bytes)),
  concurrency = 2,
) {
  const outcomes = [];
  for await (const outcome of checkMany(inputs, check, concurrency)) outcomes.push(outcome);
  return outcomes;
}

describe('checkMany of the library', () => {
  it('returns the image and its report for each image, in order, whatever form the bytes have', async () => {
    const named = { bytes: image(2), name: 'two' };
    const inputs = [image(1), named, image(3)];
    const slowFirst = async (bytes: Uint8Array): Promise<CheckReport> => {
      if (bytes[0] === 1) await new Promise((resolve) => setImmediate(resolve));
      return report(bytes);
    };
    const outcomes = await run(inputs, slowFirst);
    assert.deepEqual(
      outcomes.map(({ input, report: found }) => [input, found?.id]),
      [[inputs[0], '1'], [named, '2'], [inputs[2], '3']], // prettier-ignore
    );
    assert.equal((await run(Readable.from(inputs))).length, 3);
  });

  it('returns the error of a single image as its result, and rejects on any other error', async () => {
    const fault = new CheckError('image_corrupt', 'torn');
    const failing = (error: Error) => (bytes: Uint8Array) =>
      bytes[0] === 1 ? Promise.reject(error) : Promise.resolve(report(bytes));
    const [first, second] = await run([image(1), image(2)], failing(fault));
    assert.deepEqual([first?.error, first?.report, second?.report?.id], [fault, undefined, '2']);
    const mistake = new TypeError('a mistake');
    await assert.rejects(run([image(1), image(2)], failing(mistake)), mistake);
  });

  it('runs at most the configured number of checks at once', async () => {
    let inWork = 0;
    let most = 0;
    await run(
      Array.from({ length: 9 }, (_, at) => image(at)),
      async (bytes) => {
        most = Math.max(most, (inWork += 1));
        await new Promise((resolve) => setImmediate(resolve));
        inWork -= 1;
        return report(bytes);
      },
      3,
    );
    assert.equal(most, 3);
  });

  it('refuses an invalid list of images or an invalid concurrency before reading an image', () => {
    const never = (): never => assert.fail('nothing is to be checked');
    for (const inputs of [image(1), null, undefined, 7, 'photos', {}, { bytes: image(1) }])
      assert.throws(() => checkMany(inputs as unknown as Uint8Array[], never, 1), {
        name: 'TypeError',
        message: /^Expected an iterable of images for 'inputs'/,
      });
    for (const concurrency of [0, -1, 1.5, NaN, 100_001])
      assert.throws(() => checkMany([], never, concurrency), {
        name: 'TypeError',
        message: /^Expected a whole number from 1 to 100000 for 'concurrency'/,
      });
  });
});
