// Tests records with the real engine: their content, verification of damaged records, and repeated checks.
import assert from 'node:assert/strict';
import { Value } from '@sinclair/typebox/value';
import { thresholdBetween } from '../../src/library/check/thresholds/image-bands.js';
import { CheckError } from '../../src/library/base/errors.js';
import { generateSigner, type PublicKey, signRecord, writeJson } from '../../src/record/keys/keys.js';
import { readRecord, MAX_RECORD_BYTES } from '../../src/record/verify/read-record.js';
import { repeatCheck, type Repeating } from '../../src/record/verify/repeat.js';
import { SignedRecord } from '../../src/record/content/schema.js';
import { holdsAll, verifyRecord } from '../../src/record/verify/verify.js';
import { makeBmp, makeManipulated, readFixture, SCENE_JPEG } from '../support/images.js';
import { openRecordBench, type RecordBench } from '../support/records.js';

const never = (): never => assert.fail('no check is due');

describe('a signed record of a check', () => {
  let bench: RecordBench;
  let swapped: Buffer;
  let signed: SignedRecord;
  let keys: readonly PublicKey[];

  before(async () => {
    swapped = await makeManipulated();
    bench = await openRecordBench();
    const signer = await bench.recorder.keys.signer();
    signed = signRecord(await bench.compose(swapped), signer);
    keys = await bench.recorder.keys.publicKeys();
  });
  after(() => bench.close());

  /** Returns whether a file is verified successfully, without its image. */
  const passes = async (file: Uint8Array | string, by = keys): Promise<boolean> =>
    holdsAll(await verifyRecord(readRecord(Buffer.from(file)), by, null, never));
  const isFoundOut = async (file: Uint8Array | string): Promise<boolean> =>
    passes(file).then(
      (holds) => !holds,
      () => true,
    );
  const repeating = () =>
    Promise.resolve<Repeating>({
      setting: bench.recorder.setting,
      check: (...input) => bench.checker.check(...input),
    });
  const verifyWith = async (record: SignedRecord, bytes: Uint8Array) =>
    verifyRecord({ signed: record, page: null }, keys, await bench.original(bytes), repeating);

  it('matches its schema, with scores, rates, image, networks and processor', () => {
    assert.deepEqual([...Value.Errors(SignedRecord, signed)], []);
    const { verdict, scores, picture, made_with: made } = signed.record;
    assert.equal(verdict?.is_ai, true);
    assert.ok(scores!.face_specialist.score! >= scores!.face_specialist.thresholds!.balanced);
    const [all] = scores!.face_specialist.rates!.kinds;
    assert.ok(all!.genuine!.rate < all!.ai!.rate, 'such a score is rarer among genuine faces');
    assert.ok(all!.genuine!.low <= all!.genuine!.rate && all!.genuine!.rate <= all!.genuine!.high);
    assert.match(picture.perceptual_hash ?? '', /^[0-9a-f]{16}$/);
    assert.equal(Buffer.from(picture.preview!.jpeg, 'base64').readUInt16BE(0), 0xffd8);
    assert.ok(made.files!.some(({ name }) => name === 'encoder/weights.bin'));
    assert.deepEqual([made.arithmetic!.device, made.arithmetic!.precision], ['cpu', 'int8']);
  });

  it('equals another record of the same image, except for identifier and time', async () => {
    const again = await bench.compose(swapped);
    assert.deepEqual({ ...again, id: '', time: '' }, { ...signed.record, id: '', time: '' });
  });

  it('can be verified as JSON, as JSON rewritten by another program and as an HTML page', async () => {
    assert.equal(await passes(writeJson(signed)), true);
    assert.equal(
      await passes(JSON.stringify({ signature: signed.signature, record: signed.record }, null, 2)),
      true,
    );
    assert.equal(await passes(await bench.recorder.page(signed)), true);
  });

  it('fails verification with any flipped bit, as JSON or HTML page', async () => {
    for (const text of [writeJson(signed), await bench.recorder.page(signed)]) {
      const file = Buffer.from(text);
      // The step has no common factor with 8, so that every position within a byte is reached.
      for (let bit = 3; bit < file.length * 8; bit += 8009) {
        const spoilt = Buffer.from(file);
        spoilt[bit >> 3]! ^= 1 << (bit & 7);
        assert.ok(await isFoundOut(spoilt), `bit ${bit & 7} of byte ${bit >> 3}`);
      }
      // Flips every bit at the end of the file, too, which contains the signature.
      for (let bit = (file.length - 260) * 8; bit < file.length * 8; bit += 1) {
        const spoilt = Buffer.from(file);
        spoilt[bit >> 3]! ^= 1 << (bit & 7);
        assert.ok(await isFoundOut(spoilt), `bit ${bit & 7} of byte ${bit >> 3}`);
      }
    }
  });

  it('fails verification with the key of another installation', async () => {
    assert.equal(await passes(writeJson(signed), [generateSigner().publicKey]), false);
    const forged = signRecord(signed.record, generateSigner());
    assert.equal(await passes(writeJson(forged)), false);
    const { record, signature } = forged;
    const renamed = { record, signature: { ...signature, key: signed.signature.key } };
    assert.equal(await passes(writeJson(renamed)), false);
  });

  it('is refused with a one-line message if it is invalid, truncated, ambiguous or too large', async () => {
    const json = writeJson(signed);
    const page = await bench.recorder.page(signed);
    const refusals: readonly (readonly [RegExp, Uint8Array | string])[] = [
      [/repeated fields/, json.replace('"is_ai":true', '"is_ai":false,"is_ai":true')],
      [/repeated fields/, json.replace('{"record":', '{"record":{"type":"telltale-record"},"record":')],
      [/repeated fields/, json.replace('"is_ai"', '"is_ai" : false, "is\\u005fai"')],
      [/truncated or damaged/, json.slice(0, -100)],
      [/truncated/, page.slice(0, -100)],
      [/truncated/, page.slice(0, 3000)],
      [/not a record/, '{"record":{}}'],
      [/not a record of Telltale/, '# A text\n\nof somebody'],
      [/not a record/, 'null'],
      [/contains no record/, '<!doctype html><p>Hello</p>'],
      [/later version/, json.replace('"version":1', '"version":2')],
      [/damaged.*verdict/, json.replace('"is_ai":true', '"is_ai":1')],
      [/damaged/, json.replace('{"record":', '{"more":1,"record":')],
      [/not UTF-8 text/, swapped],
      [new RegExp(`at most ${MAX_RECORD_BYTES} bytes`), Buffer.alloc(100 << 20, '[')],
      [/too many parts/, `${'['.repeat(1 << 20)}${']'.repeat(1 << 20)}`],
      [/too many parts/, `[${'{"a":0},'.repeat(100_000)}{}]`],
      [/not a record/, `${'['.repeat(1 << 17)}${']'.repeat(1 << 17)}`],
      [/not a record/, JSON.stringify('\n'.repeat(2_000_000))],
    ];
    for (const [message, file] of refusals) {
      assert.throws(
        () => readRecord(Buffer.from(file)),
        (error: Error) =>
          error.name === 'RecordFault' && message.test(error.message) && !error.message.includes('\n'),
        String(message),
      );
    }
  });

  it('fails verification if the record is inside another page or its page shows other content', async () => {
    const page = await bench.recorder.page(signed);
    assert.equal(await passes(page.replace('AI detected</h1>', 'No AI detected</h1>')), false);
    const other = await bench.recorder.check(
      await bench.checker.check(SCENE_JPEG),
      await bench.original(SCENE_JPEG),
    );
    assert.equal(await passes(page.replace(writeJson(signed).trimEnd(), writeJson(other).trimEnd())), false);
  });

  it('gets the same scores and verdict when the check is repeated', async () => {
    const findings = await verifyWith(signed, swapped);
    assert.deepEqual(
      findings.map(({ about, holds }) => [about, holds]),
      [['signature', true], ['picture', true], ['scores', true], ['verdict', true]], // prettier-ignore
    );
    assert.match(findings[2]!.text, /equal to the last digit/);
  });

  it('fails verification with a copy of the image and with a different image, and tells the two apart', async () => {
    const copy = await bench.checker.engine.recompress(swapped, { longSidePx: 400, quality: 60 });
    const [, near] = await verifyWith(signed, copy);
    assert.deepEqual([near?.about, near?.holds], ['picture', false]);
    assert.match(near!.text, /may be a copy: [0-8] of 64 bits/);
    const [, far] = await verifyWith(signed, readFixture('png/scene.png'));
    assert.match(far!.text, /looks different/);
    const [, none] = await verifyWith(signed, Buffer.from('no image'));
    assert.equal(none?.holds, false);
  });

  it('may differ in scores, within measured limits, on another kind of processor but not on the same kind', async () => {
    const moved = async (by: number, features: string[]) => {
      const record = structuredClone(signed.record);
      record.scores!.full_image_specialist.score! += by;
      record.made_with.arithmetic!.features = features;
      const [scores] = await repeatCheck(record, swapped, await repeating());
      return scores!.holds;
    };
    const same = signed.record.made_with.arithmetic!.features;
    assert.equal(await moved(0.199, ['avx2']), true);
    assert.equal(await moved(0.201, ['avx2']), false);
    assert.equal(await moved(1e-9, same), false);
    const record = structuredClone(signed.record);
    record.heat_map![0]!.score = Math.abs(record.heat_map![0]!.score - 0.05);
    const judge = async () => (await repeatCheck(record, swapped, await repeating()))[0]!.holds;
    assert.equal(await judge(), false);
    record.made_with.arithmetic!.features = ['avx2'];
    assert.equal(await judge(), true);
  });

  it('names the threshold used, for photographs or drawings, and compares it when the check is repeated', async () => {
    const { drawn, full_image_specialist: whole } = signed.record.scores!;
    assert.ok(drawn !== null && drawn > 0 && drawn < 1);
    const { photographed, drawn: asDrawn } = bench.checker.bands.profiles.strict.fullImage;
    const thresholds = { photographed: photographed.threshold, drawn: asDrawn.threshold };
    assert.equal(whole.thresholds!.strict, thresholdBetween(thresholds, drawn));
    const record = structuredClone(signed.record);
    record.scores!.drawn = drawn + 0.0001;
    const [scores] = await repeatCheck(record, swapped, await repeating());
    assert.equal(scores?.holds, false);
  });

  it('is not compared with the result of a temporary error, which would look like a refused image', async () => {
    const { setting } = bench.recorder;
    const check = () => Promise.reject(new CheckError('overloaded', 'busy'));
    await assert.rejects(repeatCheck(signed.record, swapped, { setting, check }), /busy/);
  });

  it('names the required model if the model is not installed', async () => {
    const needs = async (change: (record: SignedRecord['record']) => void): Promise<string> => {
      const record = structuredClone(signed.record);
      change(record);
      const [finding] = await repeatCheck(record, swapped, await repeating());
      assert.equal(finding?.holds, null);
      return finding.text;
    };
    assert.match(await needs((record) => (record.made_with.model = 'telltale-9.9.9')), /telltale-9\.9\.9/);
    assert.match(
      await needs((record) => {
        const weights = record.made_with.files!.find(({ name }) => name.endsWith('weights.bin'));
        weights!.sha256 = 'a'.repeat(64);
      }),
      /weights\.bin/,
    );
    assert.match(await needs((record) => (record.made_with.views = 1)), /TELLTALE_VIEWS=1/);
  });

  it('contains the reason if the image was refused, and a repeated check is refused in the same way', async () => {
    const small = makeBmp(100, 300);
    const failure = { code: 'image_too_small', message: 'the image is too small' } as const;
    const refused = await bench.recorder.refusal(failure, await bench.original(small));
    assert.deepEqual([...Value.Errors(SignedRecord, refused)], []);
    assert.deepEqual([refused.record.refusal, refused.record.verdict], [failure, null]);
    assert.deepEqual(refused.record.picture.width, 100);
    const findings = await verifyWith(refused, small);
    assert.deepEqual(findings.at(-1), {
      about: 'verdict',
      holds: true,
      text: 'refused again: image_too_small',
    });
  });

  it('becomes an HTML page only if this installation signed the record', async () => {
    await assert.rejects(bench.recorder.page(signRecord(signed.record, generateSigner())), /did not sign/);
  });
});
