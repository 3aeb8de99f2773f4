// What a program may hand to a check, and what it is told about each mistake.
import assert from 'node:assert/strict';
import { checkInput } from '../../src/check/check-input.js';
import { PROFILE_NAMES, type CheckInput } from '../../src/check/types.js';

const bytes = new Uint8Array(1);

describe('checkInput', () => {
  it('takes everything that an option may be', () => {
    const inputs: readonly CheckInput[] = [
      { bytes },
      { bytes: Buffer.from('a') },
      ...PROFILE_NAMES.map((profile) => ({ bytes, profile })),
      { bytes, signal: new AbortController().signal, accountId: 'acc', previewPx: 512, deadlineMs: 0 },
      { bytes, searchPixels: true, heatMap: false, background: true, deadlineMs: 1.5 },
      { bytes, profile: undefined, signal: undefined, deadlineMs: undefined, heatMap: undefined },
    ];
    for (const input of inputs) assert.doesNotThrow(() => checkInput(input));
  });

  it('names the first mistake: what was expected, where, and what came', () => {
    const faults: readonly (readonly [unknown, RegExp])[] = [
      [null, /^Expected an object for input but received null$/],
      [{}, /^Expected an image's bytes \(Uint8Array\) for bytes but received undefined$/],
      [{ bytes: [1] }, /^Expected an image's bytes .* but received Array$/],
      [{ bytes: 'a.jpg' }, /for bytes but received 'a\.jpg'.*: read the file first/],
      [{ bytes, profil: 'strict' }, /^'profil' is not known here; did you mean 'profile'\?/],
      [
        { bytes, profile: 'lax' },
        /^Expected one of strict, balanced, sensitive for profile but received 'lax'/,
      ],
      [{ bytes, signal: {} }, /^Expected an AbortSignal for signal/],
      [{ bytes, deadlineMs: -1 }, /^Expected a number of milliseconds for deadlineMs but received -1/],
      [{ bytes, deadlineMs: '5' }, /^Expected a number of milliseconds for deadlineMs but received '5'/],
      [{ bytes, searchPixels: 1 }, /^Expected a boolean for searchPixels but received 1/],
      [{ bytes, heatMap: 'yes' }, /^Expected a boolean for heatMap/],
      [{ bytes, background: null }, /^Expected a boolean for background/],
      [{ bytes, accountId: 5 }, /^Expected a text for accountId but received 5/],
    ];
    for (const [input, message] of faults)
      assert.throws(() => checkInput(input as CheckInput), { name: 'TypeError', message });
  });
});
