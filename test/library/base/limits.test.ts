// Tests that limits defined both in the C++ engine and in TypeScript are equal.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { MAX_MEGAPIXELS, MAX_SIDE_PX, MIN_FACE_PX, TOKEN_PX } from '../../../src/library/base/limits.js';

const NATIVE = [
  ['native/image/sniff.h', 'kMaxSidePx', MAX_SIDE_PX],
  ['native/image/sniff.h', 'kMaxPixels', MAX_MEGAPIXELS * 1_000_000],
  ['native/face/face.h', 'kMinFaceSidePx', MIN_FACE_PX],
  ['native/engine/heat_map.h', 'kTokenPx', TOKEN_PX],
] as const;

describe('each image limit in TypeScript', () => {
  for (const [header, name, expected] of NATIVE)
    it(`equals the limit in the C++ engine: ${name}`, () => {
      const text = readFileSync(header, 'utf8');
      const value = new RegExp(`\\b${name} = ([\\d']+);`).exec(text)?.[1] ?? '';
      assert.equal(Number(value.replaceAll("'", '')), expected);
    });
});
