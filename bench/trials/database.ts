// What one request asks of the database: the key, the rate, the charge.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKey, findKey } from '../../src/accounts/keys.js';
import type { Plan } from '../../src/accounts/plans.js';
import { newCheckId } from '../../src/check/check-id.js';
import { openDatabase } from '../../src/storage/db/database.js';
import { migrate } from '../../src/storage/db/migrate.js';
import { consumeRequest } from '../../src/accounts/usage/rate-limit.js';
import { recordChecks, type CheckRecord } from '../../src/accounts/usage/record-checks.js';
import { runClosedLoop } from '../load/closed-loop.js';
import { median } from '../statistics.js';
import { findPostgres, startPostgres } from '../../test/support/postgres.js';
import type { Database } from '../targets/telltale.js';

/** Which database, how often each step. */
export interface DatabaseSettings {
  readonly database: Database;
  readonly repeats: number;
  readonly seconds: number;
}

/** Milliseconds, medians, one request after the other; and how many requests a second 16 callers get through. */
export interface DatabaseResult {
  readonly findKey: number;
  readonly consumeRequest: number;
  readonly recordChecks: number;
  readonly requestsPerSecond: number;
}

const CALLERS = 16;
const PLAN: Plan = {
  name: 'bench',
  checksPerMonth: null,
  requestsPerSecond: 100_000,
  burst: 100_000,
  batch: true,
  scanItems: 0,
  scansAtOnce: 0,
};

/** Measures on a new, empty database of this machine. */
export async function runDatabase({ database, repeats, seconds }: DatabaseSettings): Promise<DatabaseResult> {
  const folder = mkdtempSync(join(tmpdir(), 'telltale-bench-'));
  const bin = findPostgres();
  const postgres =
    database === 'postgres' && bin !== null ? await startPostgres(bin, { isDurable: true }) : null;
  const opened = await openDatabase(
    postgres
      ? { kind: 'postgres', url: postgres.createDatabase() }
      : { kind: 'sqlite', path: join(folder, 'bench.sqlite') },
  );
  try {
    await migrate(opened);
    const { id, accountId } = await createKey(opened, { account: 'bench', plan: PLAN.name });
    const payer = { accountId, keyId: id, plan: PLAN };
    const steps = {
      findKey: () => findKey(opened, id),
      consumeRequest: () => consumeRequest(opened, accountId, PLAN),
      recordChecks: () =>
        recordChecks(opened, {
          payer,
          requestId: 'bench',
          keepsHistory: true,
          checks: [makeRecord()],
          answer: null,
        }),
    };
    const timeOf = async (step: () => Promise<unknown>): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < repeats; round += 1) {
        const start = performance.now();
        await step();
        times.push(performance.now() - start);
      }
      return median(times);
    };
    const { perSecond } = await runClosedLoop({
      concurrency: CALLERS,
      seconds,
      warmUpSeconds: 0,
      ask: async () => {
        await steps.consumeRequest();
        await steps.recordChecks();
      },
    });
    return {
      findKey: await timeOf(steps.findKey),
      consumeRequest: await timeOf(steps.consumeRequest),
      recordChecks: await timeOf(steps.recordChecks),
      requestsPerSecond: perSecond,
    };
  } finally {
    await opened.close();
    postgres?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeRecord(): CheckRecord {
  return {
    id: newCheckId(),
    isAi: false,
    fired: [],
    profile: 'balanced',
    model: 'telltale-0.0.0',
    bandsVersion: 'bench',
    reason: 'No AI detected',
    fullImageScore: 0.25,
    faceScore: null,
    latencyMs: 1,
    imageId: null,
    ref: null,
    name: null,
    attention: null,
    colours: [],
    answer: {
      face_found: false,
      content_credentials: { found: false },
      image: { width: 512, height: 512 },
      scores: { full_image_specialist: 0.25, face_specialist: null },
      face_box: null,
    },
  };
}
