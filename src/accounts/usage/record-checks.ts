// Charges checks: writes their rows, the counters and the response for repeated requests in one transaction.
import type { Plan } from '../plans.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { Assessment, Attention } from 'telltale-engine/internal/check/types.js';
import { assess } from 'telltale-engine/internal/check/verdict/assessment.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { Database, Queries } from '../../storage/db/database.js';
import type { SceneHash } from 'telltale-engine/internal/engine/types.js';
import { insertHashes } from '../seen/seen.js';
import { storeAnswer, type KeyLock } from './idempotency-locks.js';
import { addToPeriod, type QuotaListener } from './period-counter.js';
import { dayOf } from './period.js';
import { spendReserved, type Reservation } from './reservations.js';
import type { PeriodUsage } from './usage.js';

export interface Payer {
  readonly accountId: string;
  /** Identifier of the API key; null if a member made the check in the console. */
  readonly keyId: string | null;
  /** Identifier of the member who made the check in the console. */
  readonly memberId?: string;
  readonly plan: Plan;
  /** True if hashes of the images are stored; default false. */
  readonly keepsHashes?: boolean;
}

export interface CheckRecord {
  /** Identifier, `chk_...`; must be new. */
  readonly id: string;
  readonly isAi: boolean;
  readonly fired: readonly string[];
  readonly profile: string;
  readonly model: string;
  readonly bandsVersion: string;
  readonly reason: string;
  /** Score of the full-image detector, from 0 to 1; null if the image was not scored. */
  readonly fullImageScore: number | null;
  readonly faceScore: number | null;
  readonly latencyMs: number;
  /** Identifier of the stored image; null if the image is not stored. */
  readonly imageId: string | null;
  /** The caller's own reference; null if none was given. */
  readonly ref: string | null;
  /** File name or short URL of the image; null if unknown or if names are not stored. */
  readonly name: string | null;
  /** The reason why a person should look at the image although no detector flagged it. */
  readonly attention: Attention | null;
  readonly assessment: Assessment;
  /** The image's main colours, such as `#aabbcc`. */
  readonly colours: readonly string[];
  readonly answer: KeptAnswer;
  /** Perceptual hash of the image; null if the account does not store hashes or the image has too little detail. */
  readonly hash?: SceneHash | null;
}

/** Fields of a response that the history stores unchanged. */
export type KeptAnswer = Pick<
  CheckResult,
  'face_found' | 'content_credentials' | 'image' | 'scores' | 'face_box'
> & {
  /** Probability that the image is an illustration, which selects its threshold. Missing before version 1.3. */
  readonly drawn?: number | null;
};

/** Values that the history stores in addition to the report. */
type RequestFacts = Partial<Pick<CheckRecord, 'imageId' | 'ref' | 'name' | 'hash'>>;

/** Converts the report about a check to the row that the history stores. */
export function toCheckRecord(
  report: CheckReport,
  latencyMs: number,
  { imageId = null, ref = null, name = null, hash = null }: RequestFacts = {},
): CheckRecord {
  const { id, isAi, fired, profile, model, bandsVersion, reason, fullImageScore, faceScore } = report;
  const verdict = { id, isAi, fired, profile, model, bandsVersion, reason, fullImageScore, faceScore };
  const { face_found, content_credentials, image, scores, face_box } = presentCheck(report);
  const answer = { face_found, content_credentials, image, scores, face_box, drawn: report.drawn };
  const { attention, colours } = report;
  const assessment = assess(report);
  return { ...verdict, latencyMs, imageId, ref, name, attention, assessment, colours, answer, hash };
}

/** Checks of one request, which are charged together: either all or none. */
interface Charge {
  readonly payer: Payer;
  readonly requestId: string;
  /** True if each check gets a row in the history. */
  readonly keepsHistory: boolean;
  /** The checks; at least one. */
  readonly checks: readonly CheckRecord[];
  /** The request's lock of its idempotency key, and the response to store for repeated requests. */
  readonly answer: {
    readonly lock: KeyLock;
    readonly body: string;
    /** Identifiers of earlier checks that the response mentions. */
    readonly seenCheckIds?: readonly string[];
  } | null;
  /** Called when a percentage of the quota is reached. */
  readonly onMark?: QuotaListener | null;
}

/**
 * Error thrown if a check or image that a response mentions was erased while the request ran. The response must then
 * be made again without it.
 */
export class ErasedMeanwhile extends Error {
  constructor(
    readonly checkIds: ReadonlySet<string>,
    readonly imageIds: ReadonlySet<string>,
  ) {
    super('a check or an image was erased while the request ran');
  }
}

/**
 * In one transaction, writes a row for each check (if the history is kept), adds to the counters of the period and the
 * day, and stores the response. Returns the period's counters. Errors: quota_exceeded if it would exceed the plan's
 * quota; deadline_exceeded if another request has taken over the key; unavailable. Throws ErasedMeanwhile if a kept
 * image or an earlier check that the response mentions has been erased. After an error nothing is charged.
 */
export async function recordChecks(database: Database, charge: Charge): Promise<PeriodUsage> {
  const { payer, checks, onMark = null } = charge;
  const { accountId, plan } = payer;
  const now = new Date();
  return database.transaction(async (queries) => {
    await requireUnerased(queries, charge, now);
    if (charge.keepsHistory)
      await insertRows(queries, { ...charge, payer: { ...payer, plan: plan.name } }, now);
    if (charge.answer) await storeAnswer(queries, charge.answer.lock, charge.answer.body, now);
    await addToDay(queries, { accountId, plan: plan.name }, now, checks.length);
    // Comes last, because every request of the account waits for this row until the transaction commits.
    return addToPeriod(queries, { accountId, plan, now, used: checks.length, reserved: 0, onMark });
  });
}

/**
 * Locks the checks and images that the response mentions until the commit. Locks checks before images like
 * `eraseCheck`, which prevents deadlocks.
 */
async function requireUnerased(
  queries: Queries,
  { payer: { accountId }, checks, answer }: Charge,
  now: Date,
): Promise<void> {
  const seenCheckIds = [...new Set(answer?.seenCheckIds)];
  const images = [...new Set(checks.flatMap(({ imageId }) => imageId ?? []))];
  const goneChecks = new Set(seenCheckIds);
  const goneImages = new Set(images);
  if (seenCheckIds.length > 0)
    for (const { id } of await queries<{ id: string; account_id: string }>('checks')
      .where({ account_id: accountId })
      .whereIn('id', seenCheckIds)
      .orderBy('id')
      .forShare()
      .select('id'))
      goneChecks.delete(id);
  if (images.length > 0)
    for (const { id } of await queries<{ id: string; expires_at: number; stored_at: number }>('images')
      .whereIn('id', images)
      .where('expires_at', '>', now.getTime())
      .whereNotNull('stored_at')
      .orderBy('id')
      .forUpdate()
      .select('id'))
      goneImages.delete(id);
  if (goneChecks.size + goneImages.size > 0) throw new ErasedMeanwhile(goneChecks, goneImages);
}

/** Checks that were reserved earlier and are now charged. */
interface ReservedCharge {
  readonly reservation: Reservation;
  /** Identifier of the API key that started the scan; null if a member started it. */
  readonly keyId: string | null;
  readonly memberId: string | null;
  /** Identifier of the scan, which is stored as the request identifier. */
  readonly workId: string;
  readonly keepsHistory: boolean;
  /** The checks; at least one. */
  readonly checks: readonly CheckRecord[];
}

/** Charges checks that were reserved, within a transaction. Writes the same rows and counters as `recordChecks`. */
export async function recordReservedChecks(
  queries: Queries,
  charge: ReservedCharge,
  now: Date,
): Promise<void> {
  const { reservation, keyId, memberId, workId, checks } = charge;
  const { accountId, plan } = reservation;
  if (charge.keepsHistory)
    await insertRows(
      queries,
      { payer: { accountId, keyId, memberId, plan }, requestId: workId, checks },
      now,
    );
  await addToDay(queries, { accountId, plan }, now, checks.length);
  await spendReserved(queries, reservation, checks.length);
}

/** Checks to insert, and values that all their rows share. */
interface Rows {
  readonly payer: Omit<Payer, 'plan' | 'memberId'> & {
    readonly plan: string;
    readonly memberId?: string | null | undefined;
  };
  readonly requestId: string;
  readonly checks: readonly CheckRecord[];
}

async function insertRows(queries: Queries, { payer, requestId, checks }: Rows, now: Date): Promise<void> {
  const rows = checks.map((check) => ({
    id: check.id,
    account_id: payer.accountId,
    plan: payer.plan,
    key_id: payer.keyId,
    member_id: payer.memberId ?? null,
    request_id: requestId,
    created_at: now.getTime(),
    is_ai: check.isAi ? 1 : 0,
    fired: check.fired.join(','),
    profile: check.profile,
    model: check.model,
    bands_version: check.bandsVersion,
    reason: check.reason,
    full_image_score: check.fullImageScore,
    face_score: check.faceScore,
    latency_ms: check.latencyMs,
    image_id: check.imageId,
    ref: check.ref,
    name: check.name,
    attention: check.attention,
    assessment: check.assessment,
    colours: check.colours.join(' ') || null,
    answer: JSON.stringify(check.answer),
  }));
  await queries('checks').insert(rows);
  const hashes = checks.flatMap(({ id, hash }) => (hash ? [{ id, hash }] : []));
  await insertHashes(queries, payer.accountId, hashes);
}

async function addToDay(
  queries: Queries,
  { accountId, plan }: { readonly accountId: string; readonly plan: string },
  now: Date,
  count: number,
): Promise<void> {
  await queries.raw(
    `insert into usage_days (account_id, plan, day, checks) values (?, ?, ?, ?)
     on conflict (account_id, plan, day) do update set checks = usage_days.checks + excluded.checks`,
    [accountId, plan, dayOf(now), count],
  );
}
