// Tests which check options are valid, and the message about each error.
import assert from 'node:assert/strict';
import { requireOptions } from '../../../src/library/base/shape.js';
import { CheckInputSchema } from '../../../src/library/check/check.js';
import { PROFILE_NAMES, type CheckInput } from '../../../src/library/check/types.js';

const bytes = new Uint8Array(1);

describe('validation of check options', () => {
  it('accepts every allowed value of an option', () => {
    const inputs: readonly CheckInput[] = [
      { bytes },
      { bytes: Buffer.from('a') },
      ...PROFILE_NAMES.map((profile) => ({ bytes, profile })),
      { bytes, signal: new AbortController().signal, accountId: 'acc', previewPx: 512, deadlineMs: 0 },
      { bytes, findMarks: () => Promise.resolve([]) },
      { bytes, searchPixels: true, heatMap: false, background: true, deadlineMs: 1.5 },
      { bytes, deadlineMs: 2 ** 31 - 1 },
      { bytes, profile: undefined, signal: undefined, deadlineMs: undefined, heatMap: undefined },
    ];
    for (const input of inputs) assert.doesNotThrow(() => requireOptions(CheckInputSchema, input));
  });

  it('reports the first invalid option with the expected and the received value', () => {
    const faults: readonly (readonly [unknown, RegExp])[] = [
      [null, /^Expected an object with .*\bbytes\b.* for input but received null$/],
      [{}, /^Expected an image's bytes \(Uint8Array; .*\) for 'bytes' but received nothing$/],
      [{ bytes: [1] }, /^Expected an image's bytes .* but received an array$/],
      [{ bytes: 'a.jpg' }, /read it first, .* for 'bytes' but received 'a\.jpg'$/],
      [{ bytes, profil: 'strict' }, /^'profil' is not known here; did you mean 'profile'\?/],
      [
        { bytes, profile: 'lax' },
        /^Expected one of "strict", "balanced", "sensitive" for 'profile' but received 'lax'/,
      ],
      [{ bytes, signal: {} }, /^Expected an AbortSignal for 'signal'/],
      ...[-1, 2 ** 31, 1e300, Infinity, NaN].map(
        (deadlineMs) =>
          [
            { bytes, deadlineMs },
            /^Expected a number of milliseconds from 0 to 2147483647 for 'deadlineMs' but received /,
          ] as const,
      ),
      [{ bytes, deadlineMs: '5' }, /^Expected a number of milliseconds from 0 .* but received '5'/],
      [{ bytes, searchPixels: 1 }, /^Expected true or false for 'searchPixels' but received 1/],
      [{ bytes, heatMap: 'yes' }, /^Expected true or false for 'heatMap'/],
      [{ bytes, background: null }, /^Expected true or false for 'background'/],
      [{ bytes, findMarks: [] }, /^Expected a function for 'findMarks' but received an array/],
      [{ bytes, accountId: 5 }, /^Expected a string for 'accountId' but received 5/],
    ];
    for (const [input, message] of faults)
      assert.throws(() => requireOptions(CheckInputSchema, input, 'input'), { name: 'TypeError', message });
  });
});
