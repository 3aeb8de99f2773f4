// Follows ten images through all surfaces, and expects the same headline everywhere.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { assessmentOfResult, chipOf } from '../../console/src/chip-words.js';
import { rowsOf } from '../../console/src/history/check-rows.js';
import { ensureAccount } from '../../src/accounts/accounts.js';
import { addKnown } from '../../src/accounts/seen/known.js';
import { keepHashes } from '../../src/accounts/seen/seen.js';
import { createEngine } from '../../src/library/engine/native/engine.js';
import { ASSESSMENTS, type Assessment } from '../../src/library/check/types.js';
import { assessmentOf, HEADLINES } from '../../src/library/check/verdict/assessment.js';
import type { SignedRecord } from '../../src/record/content/schema.js';
import { drawPage } from '../../src/record/page/page.js';
import { readKnown } from '../../src/service/check-and-search.js';
import type { CheckPage } from '../../src/service/console/shapes.js';
import type { PresentedScan } from '../../src/service/scans/scan.js';
import { createEndpoint } from '../../src/service/webhooks/endpoints.js';
import { signIn } from '../support/console.js';
import { sharedPostgres } from '../support/databases.js';
import { pngWith, tEXt } from '../support/declared-images.js';
import { makeFolder } from '../support/folders.js';
import { A1111 } from '../support/generator-layouts.js';
import { SCENE_JPEG } from '../support/images.js';
import { openInternet, openScanBench, ScanCaller, type Internet, type ScanBench } from '../support/scans.js';
import { send } from '../support/service.js';
import { callTelltale, ROOT } from '../support/telltale.js';
import { usePackagedModels } from '../support/test-models.js';

/** Expected assessment of each image. */
const EXPECTED = {
  'genuine.jpg': 'no_ai_detected',
  'ai.png': 'likely_ai',
  'face-swap.jpg': 'unclear',
  'unclear.png': 'unclear',
  'unverified-credentials.jpg': 'unclear',
  'broken-credentials.jpg': 'unclear',
  'declared.png': 'unclear',
  'known.png': 'unclear',
  'blank.png': 'unclear',
  'illustration.png': 'no_ai_detected',
} as const satisfies Record<string, Assessment>;
type Name = keyof typeof EXPECTED;
const NAMES = Object.keys(EXPECTED) as Name[];
/** The command line has no list of known images. */
const LOCAL = NAMES.filter((name) => name !== 'known.png');

const ILLUSTRATION =
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><rect width="640" height="480" fill="#9bd3f0"/><circle cx="520" cy="90" r="50" fill="#ffd54a"/><path d="M0 360 Q160 260 320 350 T640 330 V480 H0Z" fill="#5fae57"/><rect x="230" y="230" width="160" height="140" fill="#e8b27d"/><path d="M210 240 L310 150 L410 240Z" fill="#b5493a"/></svg>';

const sample = (name: string): Buffer => readFileSync(join(ROOT, 'samples', name));

/** Returns the bytes of the ten images. */
async function makeImages(): Promise<Readonly<Record<Name, Buffer>>> {
  const signed = sample('scene-signed-ai.jpg');
  const broken = Buffer.from(signed);
  broken[broken.length - 2000]! ^= 1;
  const half = await sharp(sample('portrait-autoencoded.png')).ensureAlpha(0.5).png().toBuffer();
  const mixed = sharp(sample('portrait.png')).composite([{ input: half }]);
  const grey = { width: 400, height: 300, channels: 3, background: '#888' } as const;
  return {
    'genuine.jpg': sample('scene.jpg'),
    'ai.png': sample('portrait-autoencoded.png'),
    'face-swap.jpg': sample('portrait-face-swapped.jpg'),
    'unclear.png': await mixed.removeAlpha().png().toBuffer(),
    'unverified-credentials.jpg': signed,
    'broken-credentials.jpg': broken,
    'declared.png': pngWith(tEXt('parameters', A1111)),
    'known.png': await sharp(SCENE_JPEG).rotate(180).png().toBuffer(),
    'blank.png': await sharp({ create: grey }).png().toBuffer(),
    'illustration.png': await sharp(Buffer.from(ILLUSTRATION)).png().toBuffer(),
  };
}

/** Returns the number of images by assessment. */
function countOf(names: readonly Name[]): Record<Assessment, number> {
  const counts = { likely_ai: 0, unclear: 0, no_ai_detected: 0 };
  for (const name of names) counts[EXPECTED[name]] += 1;
  return counts;
}

describe('the headline of ten images', function () {
  usePackagedModels();
  this.timeout(600_000);
  const account = 'one answer';
  const folder = makeFolder('one-answer');
  const wanted = Object.fromEntries(NAMES.map((name) => [name, HEADLINES[EXPECTED[name]]]));
  let images: Readonly<Record<Name, Buffer>>;
  let bench: ScanBench;
  let internet: Internet;
  let accountId: string;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    images = await makeImages();
    mkdirSync(join(folder, 'images'));
    for (const name of LOCAL) writeFileSync(join(folder, 'images', name), images[name]);
    internet = await openInternet(({ url }, res) => void res.end(images[url?.slice(1) as Name]));
    bench = await openScanBench(postgres, { views: null });
    const { database } = bench.service;
    accountId = (await ensureAccount(database, account)).id;
    await keepHashes(database, accountId, true);
    const engine = await createEngine({ modelsDir: process.env.TELLTALE_MODELS_DIR!, device: 'cpu' });
    const knownImage = await readKnown(engine, images['known.png'], {});
    await addKnown(database, { label: 'fake', note: '', source: null }, knownImage);
    await engine.close();
  });
  after(async () => {
    await bench.close();
    internet.close();
  });

  it('is the same on the card, in the history and its CSV file, in records and for assistants', async () => {
    const member = await signIn(bench.service, { email: 'ann@desk.example', account, role: 'member' });
    const key = await bench.service.newKey({ account, plan: 'scale' });
    const cards: Record<string, string> = {};
    const pages: Record<string, string> = {};
    const replies: Record<string, string> = {};
    const ids = new Map<string, string>();
    for (const name of NAMES) {
      const { status, body, text } = await member.check(images[name], '?include=assessment,record');
      assert.equal(status, 200, text);
      ids.set(body.id, name);
      cards[name] = chipOf(assessmentOfResult(body), null).word;
      assert.equal(body.reason.split(':')[0], cards[name], name);
      const page = drawPage(body.details?.record as unknown as SignedRecord);
      pages[name] = /<h1[^>]*>([^<]*)</.exec(page)?.[1] ?? '';
      const reply = await askAssistant(key, images[name]);
      replies[name] = reply.text.split(' (')[0]!;
      assert.equal(reply.assessment, EXPECTED[name]);
    }
    assert.deepEqual(cards, wanted);
    assert.deepEqual(pages, wanted);
    assert.deepEqual(replies, wanted);
    const { checks } = (await member.call<CheckPage>('GET', '/checks?limit=100')).body;
    const listed = checks.filter(({ id }) => ids.has(id));
    const titles = listed.map(({ id, assessment }) => [ids.get(id), chipOf(assessment, null).word]);
    assert.deepEqual(Object.fromEntries(titles), wanted);
    const [head, ...rows] = toCsv(listed);
    const [id, result] = [head!.indexOf('id'), head!.indexOf('result')];
    assert.deepEqual(Object.fromEntries(rows.map((row) => [ids.get(String(row[id])), row[result]])), wanted);
    for (const assessment of ASSESSMENTS) {
      const found = (await member.call<CheckPage>('GET', `/checks?limit=100&verdict=${assessment}`)).body
        .checks;
      const names = found.flatMap((check) => ids.get(check.id) ?? []);
      assert.deepEqual(names.sort(), NAMES.filter((name) => EXPECTED[name] === assessment).sort());
    }
  });

  it('is the same on the command line and in the report of its scan', async () => {
    const paths = LOCAL.map((name) => join(folder, 'images', name));
    const { stdout } = await callTelltale(['check', ...paths]);
    for (const name of LOCAL)
      assert.match(stdout, new RegExp(`${name} +${HEADLINES[EXPECTED[name]]} `), `${name}\n${stdout}`);
    const { likely_ai: ai, unclear, no_ai_detected: none } = countOf(LOCAL);
    const counts = `${ai} AI detected, ${unclear} unclear, ${none} no AI detected, 0 refused`;
    assert.ok(stdout.includes(`9 files: ${counts}`), stdout);
    const out = join(folder, 'results.jsonl');
    const scan = await callTelltale(['scan', '--out', out, join(folder, 'images')]);
    assert.ok(scan.stdout.includes(`9 images: ${counts}`), scan.stdout + scan.stderr);
    const lines = readFileSync(out, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { file: string; is_ai: boolean; reason: string }); // prettier-ignore
    for (const { file, ...result } of lines)
      assert.equal(assessmentOf(result), EXPECTED[file.split('/').at(-1) as Name], file);
    const report = readFileSync(join(folder, 'results.html'), 'utf8');
    for (const [assessment, count] of Object.entries(countOf(LOCAL)))
      assert.ok(
        report.includes(`<td>${HEADLINES[assessment as Assessment]}</td><td class="number">${count}</td>`),
      );
  });

  it('is the same in a scan by the service, and counted in its webhook event', async () => {
    const { database } = bench.service;
    await createEndpoint(database, {
      accountId,
      url: 'https://hooks.example.org/',
      events: ['scan.finished'],
    });
    await bench.startWorker();
    const caller = new ScanCaller(bench.service.url, await bench.service.newKey({ account, plan: 'scale' }));
    const started = await caller.start(
      NAMES.map((name) => `http://pictures.example.org:${internet.port}/${name}`),
    );
    const { assessments } = await caller.wait(started.id);
    assert.deepEqual(assessments, { ...countOf(NAMES), overturned: 0 });
    const [delivery] = await database.run((queries) =>
      queries('webhook_deliveries').select<{ body: string }[]>('body'),
    );
    const event = JSON.parse(delivery!.body) as { data: PresentedScan };
    assert.deepEqual(event.data.assessments, { ...countOf(NAMES), overturned: 0 });
    const entries = (await caller.results(started.id)) as { line: number; is_ai: boolean; reason: string }[];
    const found = entries.map((entry) => [NAMES[entry.line - 1], HEADLINES[assessmentOf(entry)]]);
    assert.deepEqual(Object.fromEntries(found), wanted);
  });

  /** Calls the tool `check_image` of /mcp. */
  async function askAssistant(key: string, bytes: Buffer): Promise<{ text: string; assessment: string }> {
    const params = { name: 'check_image', arguments: { base64: bytes.toString('base64') } };
    const answer = await send(`${bench.service.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const { result } = JSON.parse(answer.text) as {
      result: { content: { text: string }[]; structuredContent: { assessment: string } };
    };
    return { text: result.content[0]!.text, assessment: result.structuredContent.assessment };
  }
});

/** Returns the rows of the history's CSV file. */
function toCsv(checks: CheckPage['checks']): (string | number)[][] {
  const scope = globalThis as { window?: unknown };
  scope.window = { location: { origin: 'https://telltale.example' } };
  try {
    return rowsOf(checks);
  } finally {
    delete scope.window;
  }
}
