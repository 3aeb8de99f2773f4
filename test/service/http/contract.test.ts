// Tests the responses that the specification promises, row by row, over real HTTP with a real engine on both
// databases.
import assert from 'node:assert/strict';
import { Value } from '@sinclair/typebox/value';
import type { TrustDescription } from '../../../src/library/check/credentials/trust.js';
import { CheckResultSchema } from '../../../src/library/check/result-schema.js';
import { BatchResult } from '../../../src/service/http/openapi/schemas.js';
import { iptcSegment, jpegWith } from '../../support/declared-images.js';
import { makeBmp, makeLowQualityJpeg, readFixture, SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
} from '../../support/service.js';

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** A row of stored images. */
interface KeptRow {
  readonly size_bytes: number;
  readonly stored_at: number | null;
}

describeServiceOnEachDatabase('the HTTP interface in the specification', (bench) => {
  let key: string;
  let lowQuality: Buffer;
  const check = (): string => `${bench().url}/v1/check`;
  const batch = (): string => `${bench().url}/v1/check/batch`;

  before(async () => {
    key = await bench().newKey();
    lowQuality = await makeLowQualityJpeg();
  });

  describe('a check (sections 2.1 and 4.1)', () => {
    it('responds with the documented fields', async () => {
      const { status, body, headers } = await postForm(check(), key, 'file', [SCENE_JPEG]);
      assert.equal(status, 200);
      assert.deepEqual([...Value.Errors(CheckResultSchema, body)], []);
      assert.deepEqual(Object.keys(body).sort(), [
        'bands_version', 'content_credentials', 'face_box', 'face_found', 'fired', 'id', 'image', 'image_stored', 'is_ai',
        'latency_ms', 'model', 'profile', 'reason', 'scores',
      ]); // prettier-ignore
      assert.deepEqual(body.content_credentials, { found: false });
      assert.deepEqual(body.image, { width: 288, height: 256 });
      assert.equal(body.face_found, false);
      assert.equal(body.face_box, null);
      assert.equal(body.scores.face_specialist, null);
      assert.equal(body.is_ai, body.fired.length > 0);
      assert.equal(body.image_stored, false);
      assert.equal(body.profile, 'balanced');
      assert.match(headers.get('content-type')!, /^application\/json/);
    });

    it('returns equal scores for an image sent as a form, as base64 and as an address', async () => {
      const answers = [
        await postForm(check(), key, 'file', [SCENE_JPEG]),
        await postJson(check(), key, { image_b64: b64(SCENE_JPEG) }),
        // JSON with escaped slashes, as PHP writes it.
        await send(check(), {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: `{"image_b64" : "${b64(SCENE_JPEG).replaceAll('/', '\\/')}"}`,
        }),
      ];
      for (const answer of answers) assert.deepEqual(answer.body.scores, answers[0]!.body.scores);
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 3);
    });

    for (const name of [
      'jpeg/scene.jpg',
      'png/scene.png',
      'webp/scene.webp',
      'avif/scene.avif',
      'gif/scene.gif',
      'tiff/scene.tif',
    ]) {
      it(`accepts ${name}`, async () => {
        const { status, body } = await postForm(check(), key, 'file', [readFixture(name)]);
        assert.equal(status, 200);
        assert.deepEqual(body.image, { width: 288, height: 256 });
      });
    }

    it('accepts BMP, and detects the format from the bytes instead of the file name or content type', async () => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(makeBmp(300, 256))], { type: 'image/png' }), 'a.jpg');
      const { status } = await send(check(), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: form,
      });
      assert.equal(status, 200);
    });

    it('reads options from the query, a form or JSON, and refuses contradictory options', async () => {
      const byQuery = await postForm(`${check()}?profile=strict&include=thresholds`, key, 'file', [
        SCENE_JPEG,
      ]);
      const byForm = await postForm(check(), key, 'file', [SCENE_JPEG], {
        profile: 'strict',
        include: 'thresholds',
      });
      const byJson = await postJson(check(), key, {
        image_b64: b64(SCENE_JPEG),
        profile: 'strict',
        include: ['thresholds'],
      });
      for (const { body } of [byQuery, byForm, byJson]) {
        assert.equal(body.profile, 'strict');
        assert.deepEqual(Object.keys(body.details ?? {}), ['thresholds']);
        const { drawn } = (body.details as { thresholds: { drawn: number } }).thresholds;
        assert.ok(drawn > 0 && drawn < 1, `a probability: ${drawn}`);
      }
      const twice = await postForm(`${check()}?store=1`, key, 'file', [SCENE_JPEG], { store: 'true' });
      assert.equal(twice.body.image_stored, true);
      const torn = await postForm(`${check()}?store=false`, key, 'file', [SCENE_JPEG], { store: 'true' });
      assertError(torn, 400, 'invalid_request', /'store' is given more than once/);
      assertError(
        await postForm(`${check()}?profile=loose`, key, 'file', [SCENE_JPEG]),
        400,
        'invalid_request',
        /strict/,
      );
      assertError(
        await postForm(`${check()}?colour=1`, key, 'file', [SCENE_JPEG]),
        400,
        'invalid_request',
        /'colour'/,
      );
      assertError(
        await postJson(check(), key, { image_b64: 'AAAA', include: ['all'] }),
        400,
        'invalid_request',
      );
    });

    it('returns all details that were requested', async () => {
      const include = 'heatmap,faces,credentials,timings,thresholds,warnings,marks';
      const { body } = await postForm(check(), key, 'file', [SCENE_JPEG], { include });
      // The detail `credentials` also adds `remote_manifest`.
      const named = [...include.split(','), 'remote_manifest'];
      assert.deepEqual(Object.keys(body.details ?? {}).sort(), named.sort());
      const heatmap = body.details!.heatmap!;
      assert.deepEqual(heatmap.panels, []);
      assert.equal(heatmap.peak!.box.length, 4);
      assert.ok(heatmap.patches.length > 0);
    });

    it('reports file metadata as marks and in the reason without changing the verdict', async () => {
      const declared = jpegWith([iptcSegment({ 110: 'Made with Google AI' })]);
      const plain = await postForm(check(), key, 'file', [SCENE_JPEG]);
      const { body } = await postForm(check(), key, 'file', [declared], { include: 'marks' });
      assert.deepEqual([...Value.Errors(CheckResultSchema, body)], []);
      assert.deepEqual(body.details?.marks, [
        {
          kind: 'credit',
          generator: 'Google AI',
          says: 'generated',
          where: 'iptc:Credit',
          value: 'Made with Google AI',
        },
      ]);
      assert.match(
        body.reason,
        /the file declares that Google AI made the image; this declaration is unsigned, so it does not decide the verdict/,
      );
      assert.deepEqual([body.is_ai, body.fired], [plain.body.is_ai, plain.body.fired]);
    });

    it('lists the active trust lists', async () => {
      const response = await fetch(`${bench().url}/readyz`);
      const { status, trust } = (await response.json()) as { status: string; trust: TrustDescription };
      assert.deepEqual([status, trust.can_verify], ['ready', true]);
      assert.deepEqual(
        trust.files.map(({ name, tier, shipped }) => [name, tier, shipped]),
        [
          ['C2PA-TRUST-LIST.pem', 'official', true],
          ['C2PA-TSA-TRUST-LIST.pem', 'official', true],
        ],
      );
      assert.match(trust.files[0]?.date ?? '', /^\d{4}-\d\d-\d\d$/);
    });

    it('stores the original if the request says so, and stores identical images only once', async () => {
      const picture = makeBmp(301, 300);
      const account = 'keeper of images';
      const own = await bench().newKey({ account });
      for (let time = 0; time < 2; time += 1) {
        assert.equal(
          (await postForm(check(), own, 'file', [picture], { store: '1' })).body.image_stored,
          true,
        );
      }
      const rows = await bench().database.run((queries) =>
        queries<KeptRow>('images')
          .join('accounts', 'accounts.id', 'images.account_id')
          .where('accounts.name', account)
          .select<KeptRow[]>('images.*'),
      );
      assert.equal(rows.length, 1);
      assert.equal(rows[0]?.size_bytes, picture.length);
      assert.ok(rows[0].stored_at);
    });
  });

  describe('a batch (section 4.2)', () => {
    it('keeps the order of the images, reports a bad image in its own entry and charges the others', async () => {
      const own = await bench().newKey({ plan: 'growth' });
      const files = [
        SCENE_JPEG,
        Buffer.from('not an image'),
        readFixture('png/scene.png'),
        makeBmp(100, 300),
        lowQuality,
      ];
      const { status, body } = await postForm(batch(), own, 'files', files, { include: 'timings' });
      assert.equal(status, 200);
      assert.deepEqual([...Value.Errors(BatchResult, body)], []);
      assert.deepEqual(Object.keys(body).sort(), ['bands_version', 'latency_ms', 'model', 'results']);
      const codes = body.results.map((entry) => entry.error?.code ?? 'checked');
      assert.deepEqual(codes, [
        'checked',
        'unsupported_format',
        'checked',
        'image_too_small',
        'jpeg_quality_too_low',
      ]);
      const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
      assert.equal(usage.body.checks.used, 2);
    });

    it('accepts images in JSON, and reports a bad address or bad base64 in its own entry', async () => {
      const images = [
        { image_b64: b64(SCENE_JPEG) },
        { image_b64: '!' },
        { image_url: 'ftp://example.org/' },
        { image_url: 'http://127.0.0.1/' },
      ];
      const { status, body } = await postJson(batch(), key, { images, store: true });
      assert.equal(status, 200);
      const [first, ...others] = body.results;
      assert.equal(first?.image_stored, true);
      assert.deepEqual(
        others.map((entry) => entry.error?.code),
        ['invalid_base64', 'invalid_url', 'url_not_public'],
      );
    });

    it('is refused as a whole without images, with nine images, with a malformed entry or under a plan without batches', async () => {
      assertError(await postJson(batch(), key, { images: [] }), 400, 'invalid_batch', /1 to 8/);
      const nine = Array.from({ length: 9 }, () => ({ image_b64: 'AAAA' }));
      assertError(await postJson(batch(), key, { images: nine }), 400, 'invalid_batch', /received 9/);
      assertError(
        await postForm(
          batch(),
          key,
          'files',
          Array.from({ length: 9 }, () => SCENE_JPEG),
        ),
        400,
        'invalid_batch',
      );
      assertError(await postJson(batch(), key, { images: [{}] }), 400, 'invalid_request', /neither/);
      assertError(
        await postJson(batch(), key, { images: [{ image_b64: 'AAAA', extra: 1 }] }),
        400,
        'invalid_request',
      );
      for (const plan of ['free', 'starter']) {
        const own = await bench().newKey({ plan });
        assertError(
          await postJson(batch(), own, { images: [{ image_b64: b64(SCENE_JPEG) }] }),
          403,
          'plan_required',
        );
      }
    });

    it('is refused as a whole if the remaining quota is too small', async () => {
      const own = await bench().newKey({ plan: 'growth', account: 'nearly out' });
      await bench().database.run(async (queries) => {
        const account = await queries<{ id: string; name: string }>('accounts')
          .where({ name: 'nearly out' })
          .first();
        const period = new Date().toISOString().slice(0, 7);
        await queries('usage_periods').insert({
          account_id: account?.id,
          plan: 'growth',
          period,
          checks: 49_999,
        });
      });
      const two = await postForm(batch(), own, 'files', [SCENE_JPEG, SCENE_JPEG]);
      assertError(two, 429, 'quota_exceeded', /1 is left; this call needs 2/);
      assert.equal((await postForm(batch(), own, 'files', [SCENE_JPEG])).status, 200);
      assertError(await postForm(check(), own, 'file', [SCENE_JPEG]), 429, 'quota_exceeded');
    });
  });
});
