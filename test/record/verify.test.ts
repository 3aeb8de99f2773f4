// Tests the findings about a record, and files that are not records. Without an engine.
import assert from 'node:assert/strict';
import type { Preview } from '../../src/library/engine/types.js';
import { composeCheck } from '../../src/record/content/compose.js';
import { createRecorder } from '../../src/record/content/recorder.js';
import type { SignedRecord } from '../../src/record/content/schema.js';
import { generateSigner, type PublicKey, signRecord, writeJson } from '../../src/record/keys/keys.js';
import { embed, sealPage, type PageSeal } from '../../src/record/page/page-sections.js';
import { MAX_RECORD_BYTES, readRecord, readValue } from '../../src/record/verify/read-record.js';
import type { Repeating } from '../../src/record/verify/repeat.js';
import { holdsAll, verifyRecord } from '../../src/record/verify/verify.js';
import { makeSetting, ORIGINAL, PAST, REPORT } from '../support/record-parts.js';
import { keysOf } from '../support/records.js';

const HASH = '00000000000000ff';
const PREVIEW: Preview = {
  width: 8,
  height: 8,
  jpeg: new Uint8Array([1]),
  perceptualHash: HASH,
};
const signer = generateSigner();
const never = (): never => assert.fail('nothing is to be checked again');

/** Changes the content of a record, signs it by `signer` and returns it. */
async function sign(
  change: (record: SignedRecord['record']) => void = () => undefined,
): Promise<SignedRecord> {
  const record = structuredClone(
    await composeCheck(makeSetting(), { ...REPORT, preview: PREVIEW }, ORIGINAL),
  );
  change(record);
  return signRecord(record, signer);
}

describe('verifying a record', () => {
  const verify = async (
    signed: SignedRecord,
    more: {
      readonly keys?: readonly PublicKey[];
      readonly page?: PageSeal;
      readonly sha256?: string;
      readonly repeating?: () => Promise<Repeating>;
    } = {},
  ) => {
    const { keys = [signer.publicKey], page = null, sha256, repeating = never } = more;
    const picture = sha256 === undefined ? null : { bytes: ORIGINAL.bytes, sha256 };
    const findings = await verifyRecord({ signed, page }, keys, picture, repeating);
    return findings.map(({ about, holds, text }) => [about, holds, text]);
  };
  const UNSEEN = ['picture', null, 'no image was given to compare with the record'];
  const signedAt = ({ record }: SignedRecord) => [
    'signature',
    true,
    `unchanged since ${record.time}, signed by the key ${signer.publicKey.kid}`,
  ];

  it('requires a trusted key, an intact signature and a valid signing time', async () => {
    const signed = await sign();
    assert.deepEqual(await verify(signed), [signedAt(signed), UNSEEN]);
    const { kid } = signer.publicKey;
    const stranger = generateSigner().publicKey;
    assert.deepEqual(await verify(signed, { keys: [stranger] }), [
      ['signature', false, `signed by the key ${kid}, which is not among the accepted keys`],
    ]);
    assert.deepEqual(await verify(signed, { keys: [stranger, signer.publicKey] }), [
      signedAt(signed),
      UNSEEN,
    ]);
    const changed = structuredClone(signed);
    changed.record.verdict!.is_ai = false;
    assert.deepEqual(await verify(changed), [
      ['signature', false, 'the record was changed after it was signed'],
    ]);
    const revoked = { ...signer.publicKey, revoked_at: '2026-01-02T00:00:00.000Z' };
    assert.deepEqual(await verify(signed, { keys: [revoked] }), [
      [
        'signature',
        false,
        `signed by the key ${kid}, which was revoked on 2026-01-02: none of its records counts`,
      ],
    ]);
    const later = await sign((record) => (record.time = '2999-01-01T00:00:00.000Z'));
    assert.equal((await verify(later))[0]?.[1], false);
  });

  it('accepts a record made from the history, and its page, even if the check is older than the signing key', async () => {
    const recent = { ...signer.publicKey, signs_from: '2026-03-01T00:00:00.000Z' };
    const recorder = createRecorder(makeSetting(), keysOf({ ...signer, publicKey: recent }));
    const past = await recorder.past(PAST, null, {});
    assert.ok(past.record.time < recent.signs_from);
    assert.deepEqual(await verify(past, { keys: [recent] }), [signedAt(past), UNSEEN]);
    assert.ok(readRecord(Buffer.from(await recorder.page(past))).page);
    const ended = { ...recent, signs_until: '2026-02-01T00:00:00.000Z' };
    const revoked = { ...recent, revoked_at: '2026-04-01T00:00:00.000Z' };
    for (const key of [ended, revoked]) assert.equal((await verify(past, { keys: [key] }))[0]?.[1], false);
    const sameTime = await sign((record) => (record.time = past.record.time));
    assert.equal((await verify(sameTime, { keys: [recent] }))[0]?.[1], false);
    await assert.rejects(recorder.page(sameTime), /did not sign/);
  });

  it('reports whether the surrounding page is unchanged since it was signed', async () => {
    const signed = await sign();
    const text = sealPage(`<p>shown</p>${embed(writeJson(signed))}`, signer);
    const pageOf = (file: string): PageSeal => readRecord(Buffer.from(file)).page!;
    const whole = ['page', true, 'the page is unchanged'];
    assert.deepEqual(await verify(signed, { page: pageOf(text) }), [signedAt(signed), whole, UNSEEN]);
    const [, page] = await verify(signed, { page: pageOf(text.replace('shown', 'faked')) });
    assert.deepEqual([page?.[0], page?.[1]], ['page', false]);
    assert.match(String(page?.[2]), /was changed or saved again; the record inside it is unchanged/);
  });

  it('skips the comparison with the image if the record contains no image hash', async () => {
    const signed = await sign(({ picture }) => (picture.sha256 = null));
    assert.deepEqual((await verify(signed, { sha256: ORIGINAL.sha256 })).at(-1), [
      'picture',
      null,
      'the record has no hash of the image, because the image was not stored',
    ]);
  });

  it('repeats the check only if the given file is identical to the checked file', async () => {
    const signed = await sign();
    const repeating = () =>
      Promise.resolve({
        setting: makeSetting(),
        check: () => Promise.resolve({ ...REPORT, preview: PREVIEW }),
      });
    const findings = await verify(signed, { sha256: ORIGINAL.sha256, repeating });
    assert.deepEqual(
      findings.map(([about, holds]) => [about, holds]),
      [['signature', true], ['picture', true], ['scores', true], ['verdict', true]], // prettier-ignore
    );
    assert.equal(findings[1]?.[2], 'the same file as the recorded one (equal SHA-256)');
  });

  it('recognizes a likely copy of the image by its perceptual hash', async () => {
    const asked: unknown[] = [];
    const judge = async (
      perceptualHash: string | Error,
      signed: SignedRecord,
      limits?: Repeating['limits'],
    ) => {
      const makePreview = (_bytes: Uint8Array, options: unknown) => {
        asked.push(options);
        return typeof perceptualHash === 'string'
          ? Promise.resolve({ ...PREVIEW, perceptualHash })
          : Promise.reject(perceptualHash);
      };
      const repeating = () =>
        Promise.resolve({
          setting: makeSetting({ engine: { makePreview } }),
          check: never,
          ...(limits && { limits }),
        });
      return (await verify(signed, { sha256: 'c'.repeat(64), repeating })).slice(1);
    };
    const signed = await sign();
    const OTHER = 'the file is not the recorded one';
    const differ = (bits: number, word: string) => [
      ['picture', false, `${OTHER}; ${word}: ${bits} of 64 bits of the perceptual hash differ`],
    ];
    assert.deepEqual(await judge(HASH, signed), differ(0, 'it may be a copy'));
    assert.deepEqual(await judge('0000000000000000', signed), differ(8, 'it may be a copy'));
    assert.deepEqual(
      await judge('00000000000001ff', signed, () => ({ deadlineMs: 5 })),
      differ(1, 'it may be a copy'),
    );
    assert.deepEqual(await judge('8000000000000000', signed), differ(9, 'it looks different'));
    assert.deepEqual(asked.slice(1, 3), [{ longSidePx: 512 }, { deadlineMs: 5, longSidePx: 512 }]);
    const bare = [['picture', false, OTHER]];
    assert.deepEqual(await judge(new Error('no image'), signed), bare);
    asked.length = 0;
    assert.deepEqual(await judge(HASH, await sign(({ picture }) => (picture.perceptual_hash = null))), bare);
    assert.deepEqual(asked, [], 'there is nothing to compare it with');
  });
});

describe('the overall result of verifying a record', () => {
  it('is negative if at least one finding is negative, and ignores findings that could not be checked', () => {
    const finding = (holds: boolean | null) => ({ about: 'page', holds, text: '' }) as const;
    assert.equal(holdsAll([finding(true), finding(null)]), true);
    assert.equal(holdsAll([finding(true), finding(false), finding(true)]), false);
    assert.equal(holdsAll([]), true);
  });
});

describe('reading a record from a file', () => {
  let signed: SignedRecord;
  let json: string;
  before(async () => {
    signed = await sign();
    json = writeJson(signed);
  });

  it('accepts JSON and the HTML page, even after leading white space', () => {
    assert.deepEqual(readRecord(Buffer.from(`\n ${json}`)), { signed, page: null });
    const page = sealPage(embed(json), signer);
    const read = readRecord(Buffer.from(`\n ${page}`));
    assert.deepEqual([read.signed, read.page?.key], [signed, signer.publicKey.kid]);
  });

  it('accepts a file of the maximum size and refuses a larger one', () => {
    const filled = (bytes: number): Buffer => Buffer.from(json.padEnd(bytes));
    assert.deepEqual(readRecord(filled(MAX_RECORD_BYTES)).signed, signed);
    assert.throws(() => readRecord(filled(MAX_RECORD_BYTES + 1)), {
      name: 'RecordFault',
      message: `a record has at most 4194304 bytes; this file has 4194305`,
    });
  });

  it('accepts a record with a heat map of 3,000 cells, more than eight crops have', async () => {
    const large = await sign((record) => {
      const cell = { box: [20_000, 20_000, 20_000, 20_000], score: 0.1234 };
      record.heat_map = Array.from({ length: 3000 }, () => cell);
    });
    const text = writeJson(large);
    assert.deepEqual(readRecord(Buffer.from(text)).signed, large);
    const page = sealPage(embed(text), signer);
    assert.deepEqual(readRecord(Buffer.from(page)).signed, large);
  });

  it('explains in one line why an invalid file is not a record', () => {
    const refusals: readonly (readonly [string | Buffer, RegExp])[] = [
      [Buffer.from([0xff, 0xfe]), /^This is not a record: it is not UTF-8 text$/],
      [json.slice(0, -9), /^This is not a record: its JSON is truncated or damaged$/],
      [` \n${json.slice(0, -9)}`, /its JSON is truncated or damaged$/],
      ['a letter', /^This is not a record of Telltale: neither its JSON nor a page/],
      ['[1', /neither its JSON nor a page/],
      [`[${'0,'.repeat(30_000)}0]`, /too many parts$/],
      ['<p>a page</p>', /contains no record/],
      ['{}', /^This is not a record of Telltale$/],
      ['null', /^This is not a record of Telltale$/],
      ['{"record":{"type":"another"}}', /^This is not a record of Telltale$/],
      ['{"record":{"type":"telltale-record","version":2}}', /by a later version/],
      [json.replace('"is_ai":true', '"is_ai":null'), /damaged: it is invalid at 'record.verdict'/],
      [json.replace('"is_ai":true', '"is_ai":true,"is_ai":true'), /repeated fields/],
      [json.replace('"x":', '"y":').replace('{"record"', '{"a":{"b":1},"record"'), /damaged/],
    ];
    for (const [file, message] of refusals)
      assert.throws(() => readRecord(Buffer.from(file)), { name: 'RecordFault', message }, String(message));
  });
});

describe('reading a record from a JavaScript value', () => {
  it('accepts a record and refuses other values', async () => {
    const signed = await sign();
    assert.equal(readValue(signed), signed);
    for (const value of [undefined, null, 7, 'text', [], { record: null }, { record: [] }])
      assert.throws(() => readValue(value), {
        name: 'RecordFault',
        message: 'This is not a record of Telltale',
      });
    assert.throws(() => readValue({ ...signed, more: 1 }), {
      name: 'RecordFault',
      message: /damaged.*'more'/,
    });
  });
});
