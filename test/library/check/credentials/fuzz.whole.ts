// Tests signed files with corrupted bytes: no crash, and no verified state after a change to the image.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Credentials } from '../../../../src/library/check/types.js';
import { openStudio, SIGNABLE_FORMATS, type SignableFormat, type Studio } from '../../../support/studio.js';

/** Number of corrupted files per format. Chosen so that a run takes seconds. */
const FLIPS = 150;
/**
 * Maximum bytes of container headers around the manifest. Chosen: the largest, TIFF's second directory, is smaller.
 */
const MARGIN = 400;

let studio: Studio;

before(async () => {
  studio = await openStudio();
});

after(() => studio.close());

describe('signed files with corrupted bytes', () => {
  for (const format of SIGNABLE_FORMATS) {
    it(`are never verified as ${format} after a change to image or claims, and never crash the reader`, async () => {
      const plain = await studio.picture(format);
      const signed = await studio.sign(format);
      const original = await studio.reader.read(signed, { format });
      assert.equal(original?.state, 'verified');
      const manifest = manifestSpan(signed, plain.length);
      const states = new Map<string, number>();
      for (let flip = 0; flip < FLIPS; flip += 1) {
        // In half of the cases the corrupted byte is in the manifest, which is a small part of a real file.
        const [from, to] = flip % 2 === 0 ? [0, signed.length] : manifest;
        const [place, bits] = chance(format, flip);
        const at = from + (place % (to - from));
        const changed = Buffer.from(signed);
        changed[at] = (changed[at] ?? 0) ^ (1 + (bits % 255));
        const found = await studio.reader.read(changed, { format });
        const state = found?.state ?? 'none';
        states.set(state, (states.get(state) ?? 0) + 1);
        if (state !== 'verified') continue;
        assert.ok(at >= manifest[0] && at < manifest[1], `verified with byte ${at} of the image changed`);
        assert.deepEqual(recordOf(found), recordOf(original), `verified with another record, byte ${at}`);
      }
      // The states must differ, because a test in which every file gets the same state would prove nothing.
      assert.ok((states.get('tampered') ?? 0) > FLIPS / 10, JSON.stringify([...states]));
      assert.ok(states.size > 1, JSON.stringify([...states]));
    });

    it(`are never verified as ${format} if truncated`, async () => {
      const signed = await studio.sign(format);
      for (let tenth = 0; tenth < 10; tenth += 1) {
        const found = await studio.reader.read(signed.subarray(0, (signed.length * tenth) / 10), { format });
        assert.notEqual(found?.state, 'verified');
      }
    });
  }
});

/**
 * Returns the range of bytes that signing added: from the first manifest box on, with room for headers around
 * it.
 */
function manifestSpan(signed: Buffer, plainLength: number): readonly [from: number, to: number] {
  const first = signed.indexOf('jumb');
  assert.ok(first > 0);
  const to = first + (signed.length - plainLength) + MARGIN;
  return [Math.max(0, first - MARGIN), Math.min(signed.length, to)];
}

function recordOf(found: Credentials | null): Partial<Credentials> {
  const { signer, ai, aiClaim, tool, digitalSourceTypes } = found as Credentials;
  return { signer, ai, aiClaim, tool, digitalSourceTypes };
}

/**
 * Returns two whole numbers below 2^32. They are always the same for a case, so that a failure can be
 * repeated.
 */
function chance(format: SignableFormat, flip: number): readonly [number, number] {
  const digest = createHash('sha256').update(`${format} ${flip}`).digest();
  return [digest.readUInt32BE(0), digest.readUInt32BE(4)];
}
