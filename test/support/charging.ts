// Accounts that pay, and checks to charge them with, for tests of what is charged.
import { createKey } from '../../src/accounts/keys.js';
import type { Plan } from '../../src/accounts/plans.js';
import type { CheckRecord, Payer } from '../../src/accounts/usage/record-checks.js';
import type { Database } from '../../src/storage/db/database.js';

/** Ten checks a month. */
export const PLAN: Plan = {
  name: 'tiny',
  checksPerMonth: 10,
  requestsPerSecond: 1,
  burst: 1,
  batch: true,
  scanItems: 0,
  scansAtOnce: 0,
};
let count = 0;

/** One that nobody has charged. */
export function newCheck(): CheckRecord {
  count += 1;
  const verdict = {
    isAi: false,
    fired: [],
    profile: 'balanced',
    model: 'telltale-1.0.0',
    bandsVersion: '2026-01-01.1',
    reason: 'No AI detected',
    fullImageScore: 0.25,
    faceScore: null,
  };
  const answer = {
    face_found: false,
    content_credentials: { found: false },
    image: { width: 512, height: 512 },
    scores: { full_image_specialist: 0.25, face_specialist: null },
    face_box: null,
  } as const;
  const beside = { imageId: null, ref: null, name: null, attention: null, colours: [] };
  return { id: `chk_${count}`, ...verdict, latencyMs: 12.5, ...beside, answer };
}

/** An account of that name with a key on PLAN. */
export async function newPayer(database: Database, account: string): Promise<Payer> {
  const key = await createKey(database, { account, plan: PLAN.name });
  return { accountId: key.accountId, keyId: key.id, plan: PLAN };
}

/** How many checks the account's history has. */
export function countRows(database: Database, payer: Payer): Promise<number> {
  return database.run(async (queries) => {
    const rows = await queries('checks').where({ account_id: payer.accountId }).select('id');
    return rows.length;
  });
}
