// Charges checks and stores them in the history, for tests.
import { ulid } from 'ulid';
import { insertAppeal, newAppealId } from '../../src/accounts/appeals/appeals.js';
import { decideAppeal } from '../../src/accounts/appeals/decide.js';
import { createKey } from '../../src/accounts/keys.js';
import type { Plan } from '../../src/accounts/plans.js';
import { recordChecks, type CheckRecord, type Payer } from '../../src/accounts/usage/record-checks.js';
import type { Database } from '../../src/storage/db/database.js';

/** Plan with ten checks a month. */
export const PLAN: Plan = {
  name: 'tiny',
  checksPerMonth: 10,
  requestsPerSecond: 1,
  burst: 1,
  batch: true,
  scanItems: 0,
  scansAtOnce: 0,
};
/** Returns a check without findings, whose identifier contains the given time. */
export function newCheck(changes: Partial<CheckRecord> = {}, at = Date.now()): CheckRecord {
  const { isAi = false, attention = null } = changes;
  return {
    assessment: isAi ? 'likely_ai' : attention === null ? 'no_ai_detected' : 'unclear',
    id: `chk_${ulid(at)}`,
    isAi: false,
    fired: [],
    profile: 'balanced',
    model: 'telltale-1.0.0',
    bandsVersion: '2026-01-01.1',
    reason: 'No AI detected: far below',
    fullImageScore: 0.25,
    faceScore: null,
    latencyMs: 12.5,
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
    ...changes,
  };
}

/** Creates a key of an account. Creates the account if it does not exist. */
export async function newPayer(database: Database, account: string): Promise<Payer> {
  const key = await createKey(database, { account, plan: PLAN.name, name: 'the key' });
  return { accountId: key.accountId, keyId: key.id, plan: PLAN };
}

/** Charges checks and stores them in the history under the request id `r`. */
export async function record(database: Database, payer: Payer, ...checks: CheckRecord[]): Promise<void> {
  const unlimited = { ...payer, plan: { ...PLAN, checksPerMonth: null } };
  await recordChecks(database, {
    payer: unlimited,
    requestId: 'r',
    keepsHistory: true,
    checks,
    answer: null,
  });
}

/** Returns the number of checks in the account's history. */
export function countRows(database: Database, payer: Payer): Promise<number> {
  return database.run(async (queries) => {
    const rows = await queries('checks').where({ account_id: payer.accountId }).select('id');
    return rows.length;
  });
}

/** Overturns the verdict of a check by an appeal whose findings and record are invented. */
export async function overturn(database: Database, accountId: string, checkId: string): Promise<void> {
  const original = { format: 'png', width: 512, height: 512, enlarged: 1, is_ai: false, fired: [] };
  const facts = { reason: 'No AI detected: far below', camera: null };
  const scores = { full_image_specialist: 0.1, face_specialist: null };
  const id = newAppealId();
  await insertAppeal(
    database,
    {
      ...{ id, checkId, accountId, createdAt: new Date(), by: 'account', linkId: null, remark: '' },
      findings: {
        compared_with: 'hash',
        same_scene: true,
        difference: 0,
        crop: null,
        original: { ...original, ...facts, scores, content_credentials: { found: false } },
      },
      record: '{}',
    },
    null,
  );
  const decision = { id, outcome: 'verdict_overturned', remark: '', memberId: null } as const;
  await decideAppeal(database, decision, (signed) => Promise.resolve(signed));
}
