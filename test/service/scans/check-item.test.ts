// Tests how the check of one image of a scan is retried, without a database and an engine.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CheckError } from '../../../src/library/base/errors.js';
import type { InspectOptions } from '../../../src/library/engine/types.js';
import type { Answer } from '../../../src/service/scans/answers.js';
import type { ItemRow } from '../../../src/service/scans/scan.js';
import { checkItem, type WorkDeps, EnginePermits } from '../../../src/service/scans/work/check-item.js';
import { NO_TRACES } from '../../../src/service/traces/span.js';
import { createImageFetcher } from '../../../src/service/outbound/fetch-image.js';
import { HostQueues } from '../../../src/service/scans/work/host-queues.js';
import { AnswerWriter } from '../../../src/service/scans/work/answer-writer.js';
import { IMAGE, inspection } from '../../support/evidence.js';
import { bandsOf } from '../../support/record-parts.js';
import { createMemoryEngine } from '../../support/memory-engine.js';

const ITEM = { scan_id: 's', position: 1, line: 1, address: 's3://kept/1', ref: null, tries: 0 } as ItemRow;

/** Checks an image while the first inspections fail with the given errors, and returns the results. */
async function answerAfter(
  faults: readonly CheckError[],
  item = ITEM,
  more: Partial<WorkDeps> = {},
  ending = new AbortController().signal,
): Promise<{ answers: Answer[]; inspections: number; asked: (InspectOptions | undefined)[] }> {
  const answers: Answer[] = [];
  const asked: (InspectOptions | undefined)[] = [];
  let inspections = 0;
  const engine = createMemoryEngine(IMAGE, inspection(0.1));
  engine.inspect = (_bytes, options) => {
    asked.push(options);
    const fault = faults[inspections];
    inspections += 1;
    return fault ? Promise.reject(fault) : Promise.resolve(inspection(0.1));
  };
  const deps = {
    engine,
    calibration: { current: bandsOf('1') },
    database: { run: () => Promise.resolve(1) },
    fetch: () => Promise.resolve(new Uint8Array([1])),
    permits: new EnginePermits(2),
    recorder: new AnswerWriter((_scan, written) => {
      answers.push(...written);
      return Promise.resolve();
    }),
    deadlineMs: 1000,
    traces: NO_TRACES,
    lost: new AbortController().signal,
    onFault: () => undefined,
    ...more,
  } as unknown as WorkDeps;
  await checkItem(deps, { profile: 'balanced', include: [], hashingAccountId: null }, item, ending);
  return { answers, inspections, asked };
}

const late = new CheckError('deadline_exceeded', 'the check did not finish within 1000 ms');
const full = new CheckError('overloaded', 'the queue is full');

describe('the check of one image of a scan', () => {
  it('runs with background priority on every attempt', async () => {
    const { asked } = await answerAfter([late, late]);
    assert.deepEqual(
      asked.map((options) => options?.background),
      [true, true],
    );
  });

  it('runs alone after it exceeds its time limit, and fails if it exceeds the limit again', async () => {
    const { answers, inspections } = await answerAfter([late, late, late]);
    assert.equal(inspections, 2);
    assert.deepEqual(
      answers.map(({ outcome }) => outcome),
      [{ kind: 'failed', code: 'deadline_exceeded' }],
    );
  });

  it('is tried three times if the engine’s queue is full', async () => {
    const { answers, inspections } = await answerAfter([full, full, full]);
    assert.equal(inspections, 3);
    assert.deepEqual(
      answers.map(({ outcome }) => outcome),
      [{ kind: 'failed', code: 'overloaded' }],
    );
  });
});

describe('an image in a scan, if its host is busy', () => {
  type Say = (response: ServerResponse) => void;
  const say =
    (status: number, headers: Record<string, string> = {}): Say =>
    (response) =>
      response.writeHead(status, headers).end('image');
  const soon = { 'retry-after': '0' };

  /**
   * Requests an image from a host with the given responses. Returns the outcome and the times of the
   * requests.
   */
  async function ask(
    says: readonly Say[],
    ending?: AbortSignal,
  ): Promise<{ outcome: Answer['outcome'] | undefined; times: number[] }> {
    const times: number[] = [];
    const server = createServer((_request, response) => {
      times.push(performance.now());
      says[times.length - 1]?.(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const fetcher = createImageFetcher({
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: () => true,
    });
    const slot = { host: 'h', slot: 1, freeAt: 0 };
    const more = {
      fetch: (address: string) => fetcher.fetch(address, new AbortController().signal),
      hosts: new HostQueues({
        acquire: () => Promise.resolve({ acquired: slot }),
        release: () => Promise.resolve(),
      }),
    };
    const { port } = server.address() as AddressInfo;
    const item = { ...ITEM, address: `http://images.example.org:${port}/1` };
    try {
      const { answers } = await answerAfter([], item, more, ending);
      return { outcome: answers[0]?.outcome, times };
    } finally {
      await fetcher.close();
      server.closeAllConnections();
      server.close();
    }
  }

  const failed = { kind: 'failed', code: 'url_fetch_failed' };

  it('is requested again at the time that the host names, in seconds or as a date', async () => {
    const { outcome, times } = await ask([
      say(429, { 'retry-after': '1' }),
      say(503, { 'retry-after': new Date(0).toUTCString() }),
      say(200),
    ]);
    assert.equal(times.length, 3);
    assert.equal(outcome?.kind, 'checked', JSON.stringify(outcome));
    assert.ok(times[1]! - times[0]! >= 990, String(times));
  });

  it('fails after three requests', async () => {
    const { outcome, times } = await ask([say(503, soon), say(429, soon), say(503, soon), say(200)]);
    assert.deepEqual(outcome, failed);
    assert.equal(times.length, 3);
  });

  it('fails immediately if the host names no time for a retry, or a time too far in the future', async () => {
    for (const first of [
      say(503),
      say(429, { 'retry-after': 'soon' }),
      say(503, { 'retry-after': '3600' }),
      say(500, soon),
      say(404, soon),
    ]) {
      const { outcome, times } = await ask([first, say(200)]);
      assert.deepEqual(outcome, failed);
      assert.equal(times.length, 1);
    }
  });

  it('is left to the next batch if its own batch ends while the image waits', async () => {
    const over = new AbortController();
    const reason = new Error('the batch is over');
    const first: Say = (response) => {
      say(503, { 'retry-after': '5' })(response);
      response.on('close', () => over.abort(reason));
    };
    await assert.rejects(ask([first, say(200)], over.signal), reason);
  });
});
