// Tests repeating a check: what it requires, allowed differences of scores, and refusals. Without an engine.
import assert from 'node:assert/strict';
import { CheckError } from '../../src/library/base/errors.js';
import type { CheckReport } from '../../src/library/check/report.js';
import { composeCheck, composeRefusal } from '../../src/record/content/compose.js';
import type { RecordContent } from '../../src/record/content/schema.js';
import { repeatCheck, type Finding, type Repeating } from '../../src/record/verify/repeat.js';
import { bandsOf, HEADER, makeSetting, ORIGINAL, REPORT } from '../support/record-parts.js';

const setting = makeSetting({ engine: { sniff: () => Promise.resolve(HEADER) } });
const OTHER_KIND = (record: RecordContent): void => {
  record.made_with.arithmetic!.features = ['avx512f'];
};
const SAME = 'on the same kind of processor';
const OTHER = 'on another or an unknown kind of processor';

/** Compares a record, changed by the given function, with a repeated check that returns `fresh`. */
async function repeat(
  fresh: Partial<CheckReport>,
  change: (record: RecordContent) => void = () => undefined,
  by: Repeating['setting'] = setting,
): Promise<readonly Finding[]> {
  const record = structuredClone(await composeCheck(setting, REPORT, ORIGINAL));
  change(record);
  const check = () => Promise.resolve({ ...REPORT, ...fresh });
  return repeatCheck(record, ORIGINAL.bytes, { setting: by, check });
}

describe('repeating a record’s check', () => {
  it('uses the same profile, pixel search and heat map as the record', async () => {
    const asked: unknown[] = [];
    const check: Repeating['check'] = (bytes, options) => {
      asked.push(bytes, options);
      return Promise.resolve(REPORT);
    };
    const record = await composeCheck(setting, { ...REPORT, profile: 'strict' }, ORIGINAL);
    await repeatCheck(record, ORIGINAL.bytes, { setting, check });
    const plain = { ...record, marks: null, heat_map: [], verdict: null };
    await repeatCheck(plain, ORIGINAL.bytes, { setting, check });
    await repeatCheck({ ...plain, heat_map: null }, ORIGINAL.bytes, { setting, check });
    const { bytes } = ORIGINAL;
    const nothing = { profile: undefined, searchPixels: false, heatMap: false };
    assert.deepEqual(asked, [
      bytes,
      { profile: 'strict', searchPixels: true, heatMap: true },
      bytes,
      nothing,
      bytes,
      nothing,
    ]);
  });

  it('reports equal scores and verdict, and names the processors', async () => {
    const verdict = {
      about: 'verdict',
      holds: true,
      text: 'flagged as AI by face_specialist, as in the record',
    };
    const scores = (where: string) => ({
      about: 'scores',
      holds: true,
      text: `all 8 numbers are equal to the last digit, ${where}`,
    });
    assert.deepEqual(await repeat({}), [scores(SAME), verdict]);
    assert.deepEqual(await repeat({}, OTHER_KIND), [scores(OTHER), verdict]);
    const unknown = (record: RecordContent): void => void (record.made_with.arithmetic = null);
    assert.deepEqual(await repeat({}, unknown), [scores(OTHER), verdict]);
  });

  it('allows measured differences of scores only on another kind of processor', async () => {
    const moved = (by: number) => (record: RecordContent) =>
      void (record.scores!.full_image_specialist.score! += by);
    const [same] = await repeat({}, moved(1e-9));
    assert.deepEqual(
      [same?.holds, same?.text],
      [false, `the scores differ by up to 1.0e-9 (the heat map by 0.0), ${SAME}`],
    );
    const elsewhere = async (by: number) =>
      (
        await repeat({ fullImageScore: 0.25 }, (record) => {
          OTHER_KIND(record);
          record.scores!.full_image_specialist.score = 0.25 + by;
        })
      )[0];
    const [near, edge, far] = [await elsewhere(0.125), await elsewhere(-0.1999), await elsewhere(0.21875)];
    assert.deepEqual([near?.holds, edge?.holds, far?.holds], [true, true, false]);
    assert.match(
      near!.text,
      /^the scores differ by up to 0\.13 .* kind of processor, within the tolerance of 0\.2$/,
    );
    assert.match(far!.text, /^the scores differ by up to 0\.22 .*, more than the tolerance of 0\.2$/);
    const cells = (change: (record: RecordContent) => void) =>
      repeat({}, (record) => {
        change(record);
        record.heat_map![0]!.score = 0.9;
      });
    assert.deepEqual(
      [(await cells(() => undefined))[0]?.holds, (await cells(OTHER_KIND))[0]?.holds],
      [false, true],
    );
  });

  it('fails on any processor if a value is missing in the record or in the new result', async () => {
    const [scores] = await repeat({ faces: [] }, OTHER_KIND);
    assert.deepEqual([scores?.holds, scores?.text], [false, `faces had 1 entries and now has 0, ${OTHER}`]);
  });

  const DECIDED_BY_CREDENTIALS: Partial<CheckReport> = {
    fired: ['content_credentials'],
    fullImageScore: null,
    faceScore: null,
    faceBox: null,
    faces: [],
    patches: [],
    drawn: null,
  };
  const asDecided = (record: RecordContent): void => {
    record.verdict!.fired = ['content_credentials'];
    for (const name of ['full_image_specialist', 'face_specialist'] as const)
      record.scores![name].score = null;
    Object.assign(record, { faces: [], heat_map: [], scores: { ...record.scores, drawn: null } });
  };

  it('compares no scores if no detector ran', async () => {
    assert.deepEqual(await repeat(DECIDED_BY_CREDENTIALS, asDecided), [
      { about: 'scores', holds: null, text: 'the record has no scores, because no detector ran' },
      { about: 'verdict', holds: true, text: 'flagged as AI by content_credentials, as in the record' },
    ]);
  });

  it('compares nothing if credentials decided only one of the two checks', async () => {
    const findings = (which: string): readonly Finding[] =>
      (['scores', 'verdict'] as const).map((about) => ({
        about,
        holds: null,
        text: `not compared: verified Content Credentials decided only the ${which} check; the trust lists, the time or the remote manifest may differ`,
      }));
    assert.deepEqual(await repeat({}, asDecided), findings('recorded'));
    assert.deepEqual(await repeat({ isAi: false, fired: [] }, asDecided), findings('recorded'));
    assert.deepEqual(await repeat(DECIDED_BY_CREDENTIALS), findings('repeated'));
  });

  it('compares only the scores if a known image decided the record', async () => {
    const known = (record: RecordContent): void => void (record.verdict!.fired = []);
    const [scores, verdict] = await repeat({ isAi: false, fired: [] }, known);
    assert.equal(scores?.holds, true);
    assert.deepEqual(verdict, {
      about: 'verdict',
      holds: null,
      text: 'not compared: a known image decided the recorded check, and a repeated check uses no known images',
    });
  });

  it('compares the verdict and the detectors that decided it', async () => {
    const judge = async (fresh: Partial<CheckReport>) => (await repeat(fresh))[1];
    assert.deepEqual(await judge({ isAi: false, fired: [] }), {
      about: 'verdict',
      holds: false,
      text: 'the record says flagged as AI by face_specialist, but the repeated check says not flagged as AI',
    });
    const both = await judge({ fired: ['full_image_specialist', 'face_specialist'] });
    assert.deepEqual(
      [both?.holds, both?.text],
      [
        false,
        'the record says flagged as AI by face_specialist, but the repeated check says flagged as AI by full_image_specialist, face_specialist',
      ],
    );
    assert.equal((await judge({ reason: 'in other words' }))?.holds, true);
  });

  it('does not compare verdicts under other thresholds, nor checks that need another model', async () => {
    const later = makeSetting();
    later.calibration.adopt(bandsOf('2027-01-01.1'));
    const [scores, verdict] = await repeat({ bandsVersion: '2027-01-01.1' }, undefined, later);
    assert.deepEqual([scores?.holds, verdict?.holds], [true, null]);
    assert.match(
      verdict!.text,
      /needs the thresholds 2026-01-01\.1, but this installation has 2027-01-01\.1/,
    );
    const needs = async (change: (record: RecordContent) => void) => {
      const [finding, ...more] = await repeat({}, change);
      assert.deepEqual([finding?.about, finding?.holds, more], ['scores', null, []]);
      return finding!.text;
    };
    const made = (changes: Partial<RecordContent['made_with']>) =>
      needs((record) => void Object.assign(record.made_with, changes));
    assert.match(
      await made({ model: 'telltale-9.9.9' }),
      /needs the model telltale-9\.9\.9, but this installation has telltale-1\.0\.0/,
    );
    const weights = { name: 'encoder/weights.bin', sha256: 'a'.repeat(64) };
    const another = { ...weights, sha256: 'd'.repeat(64) };
    assert.match(
      await made({ files: [another] }),
      /another version of encoder\/weights\.bin, with the SHA-256 d{64}/,
    );
    assert.match(
      await made({ files: [weights, { ...weights, name: 'more.bin' }] }),
      /another version of more\.bin/,
    );
    assert.match(await made({ views: 5 }), /needs TELLTALE_VIEWS=5, but this installation uses 1/);
    const nothingTold = await repeat({}, (record) =>
      Object.assign(record.made_with, { files: null, views: null }),
    );
    assert.equal(nothingTold.length, 2);
  });

  it('reports an image that was accepted and is refused now, or the reverse', async () => {
    const torn = new CheckError('image_corrupt', 'torn');
    const refuse = () => Promise.reject(torn);
    const checked = await composeCheck(setting, REPORT, ORIGINAL);
    assert.deepEqual(await repeatCheck(checked, ORIGINAL.bytes, { setting, check: refuse }), [
      { about: 'verdict', holds: false, text: 'now refused: image_corrupt' },
    ]);
    const refused = await composeRefusal(setting, torn, ORIGINAL);
    assert.deepEqual(await repeatCheck(refused, ORIGINAL.bytes, { setting, check: refuse }), [
      { about: 'verdict', holds: true, text: 'refused again: image_corrupt' },
    ]);
    const small = await composeRefusal(setting, { code: 'image_too_small', message: 'small' }, ORIGINAL);
    assert.equal((await repeatCheck(small, ORIGINAL.bytes, { setting, check: refuse }))[0]?.holds, false);
    const passes = () => Promise.resolve(REPORT);
    assert.deepEqual(await repeatCheck(refused, ORIGINAL.bytes, { setting, check: passes }), [
      { about: 'verdict', holds: false, text: 'the image was refused (image_corrupt) and is now accepted' },
    ]);
    for (const error of [new CheckError('overloaded', 'busy'), new Error('lost')])
      await assert.rejects(
        repeatCheck(checked, ORIGINAL.bytes, { setting, check: () => Promise.reject(error) }),
        error,
      );
  });
});
