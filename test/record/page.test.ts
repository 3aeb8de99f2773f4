// Tests the HTML page of a record in a real browser: at most two printed sheets, accessible, and only content
// of the record.
import assert from 'node:assert/strict';
import { roundDown, roundUp } from '../../src/library/base/numbers.js';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { FILE_MARK_KINDS } from '../../src/library/check/marks/kinds.js';
import { drawPage } from '../../src/record/page/page.js';
import type { RecordContent, SignedRecord } from '../../src/record/content/schema.js';
import { countSheets, findSerious } from '../support/browser.js';
import { closeWindows, sharedBrowser } from '../support/visit.js';
import { makeFolder } from '../support/folders.js';
import { openRecordBench, type RecordBench } from '../support/records.js';
import { ROOT } from '../support/telltale.js';

const HOSTILE = '</script><script>document.title="gone"</script><img src=x onerror=alert(1)> \u202egnp';

describe('a record’s HTML page in a browser', function () {
  this.timeout(180_000);
  let bench: RecordBench;
  let browser: Browser;
  const folder = makeFolder('page');
  let page: Page;
  const asked: string[] = [];
  const records: Record<string, SignedRecord> = {};

  const sign = (record: RecordContent): SignedRecord => ({
    record,
    signature: { algorithm: 'Ed25519', key: 'k'.repeat(43), value: 'a'.repeat(128) },
  });

  before(async () => {
    bench = await openRecordBench();
    const content = await bench.compose(await readFile(join(ROOT, 'samples/portrait-face-swapped.jpg')));
    records.plain = sign(content);
    records.refused = sign({
      ...content,
      id: null,
      verdict: null,
      scores: null,
      faces: null,
      heat_map: null,
      marks: null,
      warnings: null,
      content_credentials: null,
      refusal: { code: 'image_corrupt', message: HOSTILE },
      picture: { ...content.picture, preview: null, width: null, height: null },
    });
    records.full = sign(fill(content));
    browser = await sharedBrowser();
    const context = await browser.newContext();
    context.on('request', (request) => asked.push(request.url().slice(0, 40)));
    page = await context.newPage();
  });
  after(async () => {
    await closeWindows();
    await bench.close();
  });

  const show = async (name: string): Promise<void> => {
    const path = join(folder, `${name}.html`);
    await writeFile(path, drawPage(records[name]!));
    await page.goto(pathToFileURL(path).href);
  };

  it('prints on at most two A4 sheets, even with much content', async () => {
    for (const name of Object.keys(records)) {
      await show(name);
      const sheets = await countSheets(page);
      assert.ok(sheets >= 1 && sheets <= 2, `${name}: ${sheets} sheets`);
    }
  });

  it('passes the axe accessibility check in light and dark mode', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of Object.keys(records)) {
        await show(name);
        assert.deepEqual(await findSerious(page), [], `${name}, ${colorScheme}`);
      }
    }
  });

  it('shows a heat map only if the image as a whole is flagged, and enlarges flagged faces', async () => {
    const { record } = records.plain!;
    const heat_map = [{ box: [0, 0, 99, 99], score: 0.95 }];
    const faces = [0.999, 0.001].map((score) => ({ ...record.faces![0]!, score }));
    for (const [signal, heat, alarms] of [
      ['full_image_specialist', 1, 1],
      ['face_specialist', 0, 1],
    ] as const) {
      const verdict = { ...record.verdict!, is_ai: true, fired: [signal] };
      records.drawn = sign({ ...record, heat_map, faces, verdict });
      await show('drawn');
      assert.equal(await page.locator('.heat').count(), heat, signal);
      assert.equal(await page.locator('.face.alarm').count(), alarms);
      assert.equal(await page.getByRole('img', { name: 'A flagged face, enlarged' }).count(), alarms);
    }
    const face = await page.getByRole('img', { name: 'A flagged face, enlarged' }).screenshot();
    const { stdev } = (await sharp(face).stats()).channels[0]!;
    assert.ok(stdev > 10, `a face, not an empty frame: ${stdev}`);
    delete records.drawn;
  });

  it('loads nothing, runs no script and shows text from the file as plain text', async () => {
    for (const name of Object.keys(records)) {
      await show(name);
      assert.match(await page.title(), /detected|checked/);
      assert.equal(await page.locator('script:not([type="application/json"])').count(), 0);
    }
    assert.deepEqual(
      asked.filter((url) => !/^(file|data):/.test(url)),
      [],
    );
    await show('full');
    assert.match(await page.locator('main').innerText(), /<script>document\.title="gone"/);
    assert.doesNotMatch(await page.locator('main').innerText(), /\u202e/);
  });

  it('shows no number or name that the record’s JSON lacks', async () => {
    for (const name of Object.keys(records)) {
      await show(name);
      const json = JSON.stringify(records[name]);
      const values = new Set([...json.matchAll(/-?\d+(?:\.\d+)?/g)].map(([number]) => Number(number)));
      const values4 = new Set([...values].map((value) => value.toFixed(4)));
      const perThousand = new Set(
        [...values].flatMap((value) =>
          [0, 1].flatMap((decimals) =>
            [roundDown, roundUp].map((round) => round(value * 1000, decimals).toFixed(decimals)),
          ),
        ),
      );
      for (const cell of await page.locator('td, dd').allInnerTexts())
        for (const word of cell.replace(/\\u[0-9a-f]{4}/g, ' ').match(/[\p{L}\d_./:-]*\d[\p{L}\d_./:-]*/gu) ??
          [])
          assert.ok(
            json.includes(word.replace(/[.,:]+$/, '')) ||
              values4.has(word) ||
              perThousand.has(word) ||
              json.toUpperCase().includes(word),
            `${name} shows ${word}`,
          );
    }
  });
});

/** Fills a record with as much content as possible. */
function fill(content: RecordContent): RecordContent {
  const many = (text: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${text} ${at} ${'x'.repeat(300)}`);
  return {
    ...content,
    verdict: { ...content.verdict!, reason: `AI detected: ${HOSTILE} ${'because of this '.repeat(40)}` },
    faces: Array.from({ length: 8 }, (_, at) => ({ ...content.faces![0]!, box: [at * 20, at * 10, 90, 90] })),
    content_credentials: {
      found: true,
      manifest: {
        state: 'tampered',
        signer: HOSTILE,
        trust_tier: null,
        signed_at: '2026-11-23T09:54:57Z',
        ai: true,
        ai_claim: 'contains',
        tool: HOSTILE,
        claim_generator: HOSTILE,
        manifests: many('urn', 30),
        validation_status: many('assertion.dataHash.mismatch', 30),
        digital_source_types: many('http://cv.iptc.org/', 9),
      },
    },
    marks: {
      pixels_searched: true,
      found: many(HOSTILE, 100).map((value, at) => ({
        kind: FILE_MARK_KINDS[at % FILE_MARK_KINDS.length]!,
        generator: HOSTILE,
        says: 'generated' as const,
        where: 'png:parameters',
        value,
      })),
    },
    warnings: many('The image is small', 4).map((message) => ({ code: 'image_small', message })),
  };
}
