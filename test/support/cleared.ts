// Helps to test calibration in the console: stored images that members marked as genuine, and ready-made
// thresholds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { formatBands, makeThresholds, nameBands } from '../../src/calibration/thresholds/own-thresholds.js';
import { tableOf } from '../../src/calibration/thresholds/calibration-page.js';
import { formatThresholdsCard } from '../../src/calibration/thresholds/thresholds-card.js';
import type { FitImage } from '../../src/calibration/thresholds/fit-images.js';
import { parseBands } from '../../src/library/check/thresholds/bands.js';
import type { Bands, ProfileBands } from '../../src/library/check/types.js';
import type { Judged, ShownThresholds, ThresholdsPage } from '../../src/service/console/shapes.js';
import type { Database } from '../../src/storage/db/database.js';
import type { ImageRetention } from '../../src/storage/images/image-retention.js';
import type { ConsoleClient } from './console.js';
import { drawBmp } from './images.js';
import { modelsDir } from './test-models.js';

const SIDE_PX = 256;

/**
 * Milliseconds within which a process must use thresholds that another one activated. It takes seconds, but a
 * busy machine must not fail a test.
 */
export const FOLLOW_MS = 120_000;

/** Draws a BMP of plain boxes, which differ by number. Its score is under 0.1, far below every threshold. */
export function drawBoxes(number: number): Buffer {
  let state = number * 2_654_435_761 + 1;
  const draw = (end: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32) * end;
  };
  const drawColor = (): number[] => [draw(255), draw(255), draw(255)];
  const ground = drawColor();
  const boxes = Array.from({ length: 6 + (number % 9) }, () => ({
    left: draw(SIDE_PX),
    top: draw(SIDE_PX),
    width: 20 + draw(120),
    height: 10 + draw(80),
    color: drawColor(),
  }));
  return drawBmp(SIDE_PX, SIDE_PX, (x, y) => {
    const box = boxes.find(
      ({ left, top, width, height }) => x >= left && x < left + width && y >= top && y < top + height,
    );
    return box?.color ?? ground;
  });
}

/** Checks and stores an image, sets its review status or report, and returns the check's identifier. */
export async function judge(
  client: ConsoleClient,
  image: Uint8Array,
  { status, label }: { readonly status?: string; readonly label?: string },
): Promise<string> {
  const checked = await client.check(image, '?store=true');
  assert.equal(checked.status, 200, checked.text);
  const { id } = checked.body;
  const put = async (path: string, body: unknown): Promise<void> => {
    const answer = await client.call('PUT', `/checks/${id}/${path}`, body);
    assert.ok(answer.status < 300, answer.text);
  };
  if (status !== undefined) await put('note', { text: '', status });
  if (label !== undefined) await put('report', { label, note: '' });
  return id;
}

/** Stores many images that `memberId` marked as genuine, without running checks. */
export async function keepCleared(
  database: Database,
  retention: ImageRetention,
  { accountId, memberId }: { readonly accountId: string; readonly memberId: string },
  images: Iterable<Uint8Array>,
): Promise<void> {
  for (const image of images) {
    const { id: imageId } = await retention.keep(accountId, image, 'bmp');
    await database.run((queries) =>
      queries('checks').insert({
        id: `chk_${ulid()}`,
        account_id: accountId,
        plan: 'scale',
        request_id: 'r',
        created_at: Date.now(),
        is_ai: 0,
        fired: '',
        profile: 'balanced',
        model: 'telltale-1.0.0',
        bands_version: 'b',
        latency_ms: 1,
        image_id: imageId,
        status: 'cleared',
        noted_by: memberId,
        noted_at: Date.now(),
      }),
    );
  }
}

/** Returns the images available for a fit, by account. */
export async function readJudged(client: ConsoleClient, query = ''): Promise<Judged['accounts']> {
  const { status, text, body } = await client.call<Judged>('GET', `/operator/judged${query}`);
  assert.equal(status, 200, text);
  assert.equal(body.least, 300);
  return body.accounts;
}

/** Returns the shipped thresholds. */
export function shippedBands(): Bands {
  return parseBands(JSON.parse(readFileSync(join(modelsDir, 'bands.json'), 'utf8')), 'that ships');
}

/** Returns thresholds at which nearly every image is flagged by the whole image. */
export function keenBands(name: string, model = shippedBands().model): Bands {
  const keen = ({ fullImage: { photographed, drawn }, face }: ProfileBands): ProfileBands => ({
    fullImage: {
      photographed: { ...photographed, threshold: 0.001 },
      drawn: { ...drawn, threshold: 0.001 },
    },
    face,
  });
  const { strict, balanced, sensitive } = shippedBands().profiles;
  const profiles = { strict: keen(strict), balanced: keen(balanced), sensitive: keen(sensitive) };
  return nameBands({ model, profiles }, name, new Date());
}

/** Stores fitted thresholds in the database and returns their identifier. */
export async function addThresholds(database: Database, name: string, bands: Bands): Promise<string> {
  const id = `thr_${ulid()}`;
  const images: FitImage[] = Array.from({ length: 400 }, (_, at) => ({
    path: `chk_${at}`,
    sha256: String(at),
    isAi: false,
    source: 'acc_1',
    group: 'real',
    kind: '',
    content: '',
    fullImage: at / 400,
    drawn: 0,
    face: null,
    perceptualHash: null,
  }));
  const madeAt = new Date();
  const aims = { strict: 0.003, balanced: 0.01, sensitive: 0.05 };
  const before = shippedBands();
  const newThresholds = makeThresholds({ images, before, aims, name, madeAt });
  const labellerTable = [
    ['account', 'genuine images', 'flagged before (balanced)', 'flagged after', 'confirmed as genuine by'],
    ['mill', '400', '27 of 400, 6.75%', '4 of 400, 1%', '1 member'],
  ];
  const facts = { newThresholds, before, labellerTable, warnings: [], selection: '', madeAt };
  await database.run((queries) =>
    queries('corrections').insert({
      id,
      name,
      state: 'ready',
      made_by: 'op@desk.example',
      created_at: madeAt.getTime(),
      outcome: JSON.stringify({
        table: tableOf(newThresholds.calibration.thresholds),
        whose: labellerTable,
        warnings: newThresholds.cautions,
      }),
      card: formatThresholdsCard(facts),
      bands: formatBands(bands),
      wanted: JSON.stringify({ aims, from: null, to: null, alsoReported: false, accountIds: ['acc_1'] }),
    }),
  );
  return id;
}

/** Waits until the fit has ended. */
export async function waitForEnd(client: ConsoleClient, id: string): Promise<ShownThresholds> {
  for (;;) {
    const found = (await readThresholds(client)).thresholds.find((one) => one.id === id);
    assert.ok(found);
    if (found.state !== 'waiting' && found.state !== 'learning') return found;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Returns all thresholds and the active ones. */
export async function readThresholds(client: ConsoleClient): Promise<ThresholdsPage> {
  const { status, text, body } = await client.call<ThresholdsPage>('GET', '/operator/thresholds');
  assert.equal(status, 200, text);
  return body;
}

/** Activates thresholds. null activates the shipped ones. */
export async function activate(client: ConsoleClient, id: string | null): Promise<void> {
  const { status, text } = await client.call('PUT', '/operator/thresholds/active', { id });
  assert.equal(status, 204, text);
}
