// Perceptual hashes of 64 bits, written as 16 hex digits. Hashes of similar images differ in few bits.

/** Maximum differing bits between copies. Scaled and recompressed test images differ in up to 4 bits. */
export const NEAR_BITS = 8;

/** Counts the bits in which two hashes differ, 0..64. */
export function countDifferentBits(one: string, other: string): number {
  return differ(halvesOf(one), halvesOf(other));
}

/**
 * Returns the indices of near copies in ascending order. A near copy is a hash that nearly equals an earlier
 * hash; hashes are compared only with earlier hashes that are not near copies themselves. Null is never a
 * copy.
 */
export function findNearCopies(hashes: readonly (string | null)[]): number[] {
  const firsts: Halves[] = [];
  const copies: number[] = [];
  for (const [at, hash] of hashes.entries()) {
    if (hash === null) continue;
    const halves = halvesOf(hash);
    if (firsts.some((first) => differ(first, halves) <= NEAR_BITS)) copies.push(at);
    else firsts.push(halves);
  }
  return copies;
}

type Halves = readonly [high: number, low: number];

function halvesOf(hash: string): Halves {
  return [parseInt(hash.slice(0, 8), 16), parseInt(hash.slice(8), 16)];
}

function differ(one: Halves, other: Halves): number {
  return countOnes(one[0] ^ other[0]) + countOnes(one[1] ^ other[1]);
}

/** Counts the ones of a 32-bit number by adding neighbours in parallel: pairs, fours, then bytes. */
function countOnes(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
