// Tests comparing the contents of two records: differences of numbers, and values that only one of them has.
import assert from 'node:assert/strict';
import { compareScores } from '../../src/record/verify/repeat.js';
import { composeCheck } from '../../src/record/content/compose.js';
import type { RecordContent } from '../../src/record/content/schema.js';
import { face } from '../support/evidence.js';
import { makeSetting, ORIGINAL, REPORT } from '../support/record-parts.js';

describe('the comparison of two records’ scores', () => {
  let content: RecordContent;

  before(async () => {
    const patches = [
      { box: [0, 0, 10, 10] as const, score: 0.25 },
      { box: [10, 0, 10, 10] as const, score: 0.5 },
    ];
    const faces = [face(0.75, [1, 2, 100, 120]), face(0.25, [300, 2, 90, 90])];
    content = await composeCheck(makeSetting(), { ...REPORT, faces, patches, drawn: 0.125 }, ORIGINAL);
  });

  /** Compares a content with a copy, after changing either of them. */
  const compare = (
    change: (fresh: RecordContent) => void,
    of: (recorded: RecordContent) => void = () => undefined,
  ) => {
    const [recorded, fresh] = [structuredClone(content), structuredClone(content)];
    of(recorded);
    change(fresh);
    return compareScores(recorded, fresh);
  };
  const SAME = { numbers: 13, farthest: 0, farthestCell: 0, odd: null };

  it('finds no difference between equal records, and compares three scores, four face numbers and two heat map cells', () => {
    assert.deepEqual(
      compare(() => undefined),
      SAME,
    );
  });

  it('returns the largest difference of any score, in either direction', () => {
    const moves: readonly ((fresh: RecordContent) => void)[] = [
      ({ scores }) => (scores!.drawn! += 0.0625),
      ({ scores }) => (scores!.full_image_specialist.score! -= 0.0625),
      ({ scores }) => (scores!.face_specialist.score! += 0.0625),
      ({ faces }) => (faces![1]!.score += 0.0625),
      ({ faces }) => (faces![1]!.manipulated -= 0.0625),
      ({ faces }) => (faces![0]!.generated += 0.0625),
      ({ faces }) => (faces![1]!.confidence -= 0.0625),
    ];
    for (const move of moves) {
      const { farthest, ...rest } = compare(move);
      assert.ok(Math.abs(farthest - 0.0625) < 1e-9, String(farthest));
      assert.deepEqual(rest, { numbers: 13, farthestCell: 0, odd: null });
    }
    const both = compare((fresh) => moves.forEach((move, at) => at < 2 && move(fresh)));
    assert.equal(both.farthest, 0.0625);
    assert.deepEqual(
      compare(({ heat_map: cells }) => (cells![1]!.score = 0.125)),
      { ...SAME, farthestCell: 0.375 },
    );
  });

  it('names a score that only one of the records contains', () => {
    const odd = (change: (one: RecordContent) => void) => [
      compare(change).odd,
      compare(() => undefined, change).odd,
    ];
    assert.deepEqual(
      odd(({ scores }) => (scores!.face_specialist.score = null)),
      ['only one of the two checks has face_specialist', 'only one of the two checks has face_specialist'],
    );
    assert.deepEqual(
      odd(({ faces }) => faces!.pop()),
      ['faces had 2 entries and now has 1', 'faces had 1 entries and now has 2'],
    );
    assert.deepEqual(
      odd(({ heat_map: cells }) => cells!.pop()),
      ['heat_map had 2 entries and now has 1', 'heat_map had 1 entries and now has 2'],
    );
    assert.equal(compare(({ scores }) => (scores!.drawn = null)).odd, 'only one of the two checks has drawn');
    assert.equal(
      compare(({ faces }) => (faces![0]!.box = [1, 2, 100, 121])).odd,
      'a box was at 1,2,100,120 and is now at 1,2,100,121',
    );
    assert.equal(
      compare(({ heat_map: cells }) => (cells![0]!.box = [0, 0, 9, 10])).odd,
      'a box was at 0,0,10,10 and is now at 0,0,9,10',
    );
  });

  it('reports only the first mismatch', () => {
    const change = (fresh: RecordContent): void => {
      fresh.scores!.full_image_specialist.score = null;
      fresh.faces!.pop();
      fresh.heat_map![0]!.box = [0, 0, 9, 10];
    };
    assert.equal(compare(change).odd, 'only one of the two checks has full_image_specialist');
  });

  it('ignores faces, heat map and drawing probability if the original record lacks them', () => {
    const without = (recorded: RecordContent): void => {
      Object.assign(recorded, { faces: null, heat_map: null });
      recorded.scores!.drawn = null;
    };
    assert.deepEqual(
      compare(() => undefined, without),
      { ...SAME, numbers: 2 },
    );
    assert.deepEqual(compare(without).odd, 'only one of the two checks has drawn');
    const refused = (one: RecordContent): void =>
      void Object.assign(one, { scores: null, faces: null, heat_map: null });
    assert.deepEqual(compare(refused, refused), { ...SAME, numbers: 0 });
    assert.equal(compare(refused).odd, 'only one of the two checks has drawn');
    assert.equal(
      compare(() => undefined, refused).odd,
      'only one of the two checks has full_image_specialist',
    );
  });
});
