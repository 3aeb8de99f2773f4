// Tests the reasons to look closer at an image that no detector flagged.
import assert from 'node:assert/strict';
import { findAttention, type AttentionEvidence } from '../../../../src/library/check/verdict/attention.js';

const QUIET: AttentionEvidence = {
  isAi: false,
  warnings: [{ code: 'image_small' }],
  marks: [
    { kind: 'camera', says: 'camera' },
    { kind: 'editor', says: 'edited' },
  ],
  credentialsRecordAi: false,
  isTampered: false,
  isKnownFake: false,
  fullImageScore: 0.2,
  faceScore: 0.1,
  faceCount: 3,
  sensitive: { fullImage: 0.5, face: 0.4 },
};

describe('the reason to look closer at an image that no detector flagged', () => {
  it('is absent if the only findings are a camera, an editor or a small image size', () => {
    assert.equal(findAttention(QUIET), null);
    assert.equal(findAttention({ ...QUIET, fullImageScore: null, faceScore: null }), null);
  });

  it('is present for each single cause, also for a score equal to the limit', () => {
    const cases: readonly [Partial<AttentionEvidence>, string][] = [
      [{ marks: [{ kind: 'visible', says: 'generated' }] }, 'visible'],
      [{ marks: [{ kind: 'watermark', says: 'generated' }] }, 'watermark'],
      [{ marks: [{ kind: 'software', says: 'possibly_generated' }] }, 'mark'],
      [{ credentialsRecordAi: true }, 'credentials'],
      [{ isTampered: true }, 'tampered'],
      [{ isKnownFake: true, marks: [{ kind: 'visible', says: 'generated' }] }, 'known'],
      [{ warnings: [{ code: 'image_blank' }] }, 'blank'],
      [{ warnings: [{ code: 'part_generated' }] }, 'part'],
      [{ warnings: [{ code: 'image_small' }, { code: 'part_generated' }] }, 'part'],
      [{ faceScore: 0.4 }, 'face'],
      [{ faceScore: 0.4, faceCount: 1 }, 'score'],
      [{ fullImageScore: 0.5 }, 'score'],
    ];
    for (const [change, reason] of cases) assert.equal(findAttention({ ...QUIET, ...change }), reason);
  });

  it('is the metadata if an image is blank and also has suspicious metadata; it is absent if the verdict is AI', () => {
    const all: AttentionEvidence = {
      ...QUIET,
      warnings: [{ code: 'image_blank' }],
      marks: [{ kind: 'credit', says: 'edited' }],
    };
    assert.equal(findAttention(all), 'mark');
    assert.equal(findAttention({ ...all, isAi: true }), null);
  });
});
