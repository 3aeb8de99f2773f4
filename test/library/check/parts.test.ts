// Tests small parts of a check: strength, position, rounding, warnings, names, identifiers and limits.
import assert from 'node:assert/strict';
import { newCheckId } from '../../../src/library/check/report.js';
import { positionOf, wordsOfPosition } from '../../../src/library/check/verdict/position.js';
import { MAX_IMAGE_BYTES } from '../../../src/library/base/limits.js';
import { admitHeader, admitSize } from '../../../src/library/check/admit-image.js';
import { quoteName } from '../../../src/library/check/verdict/quoted-name.js';
import { roundMs, roundScore } from '../../../src/library/base/numbers.js';
import { describeStrength } from '../../../src/library/check/verdict/strength.js';
import { findWarnings } from '../../../src/library/check/verdict/warnings.js';
import { BANDS, IMAGE, face, inspection } from '../../support/evidence.js';

describe('the description of a score relative to its threshold', () => {
  const rows: [score: number, threshold: number, words: string][] = [
    [0.5, 0.5, 'just above'],
    [0.66, 0.5, 'just above'],
    [0.68, 0.5, 'clearly above'],
    [0.9, 0.5, 'clearly above'],
    [0.92, 0.5, 'far above'],
    [1, 0.9999, 'far above'],
    [0.4999, 0.5, 'just below'],
    [0.34, 0.5, 'just below'],
    [0.32, 0.5, 'clearly below'],
    [0.08, 0.5, 'far below'],
    [0, 0.001, 'far below'],
    // The odds of 0.985 are 3.4 times the odds of 0.95, although the scores differ only by 0.035.
    [0.985, 0.95, 'clearly above'],
  ];
  for (const [score, threshold, words] of rows) {
    it(`calls score ${score} '${words}' threshold ${threshold}`, () => {
      assert.equal(describeStrength(score, threshold), words);
    });
  }
});

describe("the description of a face's position", () => {
  it('names one of nine image regions by the centre of the face', () => {
    const size = { width: 900, height: 600 };
    const places = [50, 250, 450].map((y) =>
      [100, 400, 700].map((x) => wordsOfPosition(positionOf([x, y, 100, 100], size))),
    );
    assert.deepEqual(places, [
      ['in the upper left', 'in the upper centre', 'in the upper right'],
      ['on the left', 'at the centre', 'on the right'],
      ['in the lower left', 'in the lower centre', 'in the lower right'],
    ]);
  });

  it('depends on the centre of the face, not on a corner', () => {
    assert.equal(
      wordsOfPosition(positionOf([250, 150, 200, 90], { width: 900, height: 600 })),
      'in the upper centre',
    );
    assert.equal(
      wordsOfPosition(positionOf([250, 150, 200, 150], { width: 900, height: 600 })),
      'at the centre',
    );
  });

  it('says that a face fills the image if the face is at least half as large as the image', () => {
    assert.equal(
      wordsOfPosition(positionOf([0, 0, 450, 600], { width: 900, height: 600 })),
      'that fills the image',
    );
  });
});

describe('rounding a score', () => {
  it('keeps four decimals', () => {
    assert.equal(roundScore(0.123456, 0.9), 0.1235);
    assert.equal(roundScore(null, 0.9), null);
  });

  it('never moves a score across its threshold', () => {
    assert.equal(roundScore(0.61999, 0.62), 0.6199);
    assert.equal(roundScore(0.620041, 0.62004), 0.6201);
    for (let at = 0; at < 10_000; at += 1) {
      const score = (at * 0.6180339887) % 1;
      const threshold = (at * 0.7548776662) % 1;
      assert.equal(
        roundScore(score, threshold) >= threshold,
        score >= threshold,
        `${score} against ${threshold}`,
      );
    }
  });
});

describe('rounding a duration', () => {
  it('keeps one decimal of a millisecond', () => {
    assert.equal(roundMs(12.3456), 12.3);
  });
});

describe('the warnings about an image', () => {
  const codes = (image: Partial<typeof IMAGE>, ...facesPx: number[]): string[] =>
    findWarnings(
      { ...IMAGE, ...image },
      inspection(
        0.1,
        facesPx.map((px) => face(0.5, [0, 0, px, 500])),
      ),
      BANDS,
    ).map(({ code }) => code);

  it('appear just inside each limit and not beyond it', () => {
    assert.deepEqual(codes({}), []);
    assert.deepEqual(codes({ width: 320, jpegQuality: 61 }, 80), []);
    assert.deepEqual(codes({ height: 319 }), ['image_small']);
    assert.deepEqual(codes({ jpegQuality: 60 }), ['jpeg_quality_low']);
    assert.deepEqual(codes({ jpegQuality: null }, 79), ['face_small']);
    assert.deepEqual(codes({}, 90, 90), []);
    assert.deepEqual(codes({}, 90, 90, 90), ['faces_many']);
  });

  it('include one for an image of a single colour', () => {
    const warnings = findWarnings(IMAGE, { ...inspection(0.5), isBlank: true }, BANDS);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['image_blank'],
    );
  });

  it('include one for a fully transparent image', () => {
    const warnings = findWarnings(IMAGE, { ...inspection(0.5), isTransparent: true }, BANDS);
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['image_transparent'],
    );
  });

  it('name a suspicious region with its position if only the region reaches the threshold', () => {
    const judge = (whole: number, score: number) =>
      findWarnings(IMAGE, { ...inspection(whole), part: { box: [10, 400, 90, 90], score } }, BANDS);
    const { threshold } = BANDS.fullImage;
    assert.deepEqual(judge(0.1, threshold - 0.0001), []);
    assert.deepEqual(judge(threshold, 0.99), []);
    const [warning] = judge(threshold - 0.0001, threshold);
    assert.equal(warning?.code, 'part_generated');
    assert.match(warning.message, /90 x 90 px in the lower left looks generated/);
  });

  it('state the value and the limit', () => {
    const [warning] = findWarnings({ ...IMAGE, height: 300 }, inspection(0.1), BANDS);
    assert.match(warning?.message ?? '', /300 px.*256 px/);
  });
});

describe('a file name quoted in a sentence', () => {
  it('is unchanged if it is an ordinary name', () => {
    assert.equal(quoteName('Müller & Söhne GmbH'), 'Müller & Söhne GmbH');
  });

  it('is shortened, and control and reordering characters are removed', () => {
    assert.equal(quoteName(' a\u001b]0;x\u0007\r\n b\u202e\u2028c '), 'a ]0;x b c');
    assert.equal([...quoteName('😀'.repeat(100))].length, 64);
    assert.equal(quoteName('a'.repeat(64)), 'a'.repeat(64));
    assert.equal(quoteName('a'.repeat(65)), `${'a'.repeat(63)}…`);
  });
});

describe('the identifier of a new check', () => {
  it('is chk_ followed by an increasing ULID', () => {
    const ids = Array.from({ length: 1000 }, newCheckId);
    for (const id of ids) assert.match(id, /^chk_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.deepEqual([...ids].sort(), ids);
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe('the check of an image’s size', () => {
  const codeOf = (act: () => void): string => {
    try {
      act();
    } catch (error) {
      return (error as { code: string }).code;
    }
    return 'admitted';
  };
  const rows: [name: string, expected: string, act: () => void][] = [
    ['20 MiB', 'admitted', () => admitSize(MAX_IMAGE_BYTES)],
    ['one byte over 20 MiB', 'image_too_large', () => admitSize(MAX_IMAGE_BYTES + 1)],
    ['a shorter side of 256 px', 'admitted', () => admitHeader({ ...IMAGE, width: 256 })],
    ['a shorter side of 255 px', 'image_too_small', () => admitHeader({ ...IMAGE, height: 255 })],
    ['JPEG quality 50', 'admitted', () => admitHeader({ ...IMAGE, jpegQuality: 50 })],
    ['JPEG quality 49', 'jpeg_quality_too_low', () => admitHeader({ ...IMAGE, jpegQuality: 49 })],
    [
      'a format other than JPEG',
      'admitted',
      () => admitHeader({ ...IMAGE, format: 'png', jpegQuality: null }),
    ],
    [
      'too few pixels and too low a quality',
      'image_too_small',
      () => admitHeader({ ...IMAGE, width: 10, jpegQuality: 10 }),
    ],
  ];
  for (const [name, expected, act] of rows) {
    it(`returns ${expected} for an image with ${name}`, () => {
      assert.equal(codeOf(act), expected);
    });
  }

  it('states the received and the allowed size', () => {
    assert.throws(() => admitHeader({ ...IMAGE, width: 180, height: 240 }), {
      message: 'The image has 180 × 240 px. The shorter side must have at least 256 px',
    });
  });
});
