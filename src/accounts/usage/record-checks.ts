// Charges checks: rows, counters and the answer to repeat, in one transaction.
import type { Plan } from '../plans.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { Attention } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { Database, Queries } from '../../storage/db/database.js';
import type { SceneHash } from 'telltale-engine/internal/engine/types.js';
import { insertHashes } from '../seen/seen.js';
import { storeAnswer, type KeyLock } from './idempotency.js';
import { addToPeriod, type QuotaListener } from './period-counter.js';
import { dayOf } from './period.js';
import { spendReserved, type Reservation } from './reservations.js';
import type { PeriodUsage } from './usage.js';

/** Who pays. */
export interface Payer {
  readonly accountId: string;
  /** Null for a check by hand, in the console. */
  readonly keyId: string | null;
  /** Who made a check by hand. */
  readonly memberId?: string;
  readonly plan: Plan;
  /** Whether hashes of its images are kept; default false. */
  readonly keepsHashes?: boolean;
}

/** One check to charge. */
export interface CheckRecord {
  /** `chk_...`, new. */
  readonly id: string;
  readonly isAi: boolean;
  readonly fired: readonly string[];
  readonly profile: string;
  readonly model: string;
  readonly bandsVersion: string;
  readonly reason: string;
  /** 0..1; null if it was not scored. */
  readonly fullImageScore: number | null;
  readonly faceScore: number | null;
  readonly latencyMs: number;
  /** The kept image; null if none is kept. */
  readonly imageId: string | null;
  /** The caller's own reference; null if it gave none. */
  readonly ref: string | null;
  /** What people call the image; null where none is known, or names are not kept. */
  readonly name: string | null;
  /** Why eyes are needed though nothing fired. */
  readonly attention: Attention | null;
  /** Colours that the image mostly has, such as `#aabbcc`. */
  readonly colours: readonly string[];
  readonly answer: KeptAnswer;
  /** Of what the image shows; none if the account keeps none, or too little is to be seen. */
  readonly hash?: SceneHash | null;
}

/** Members of an answer that the history keeps as they were sent. */
export type KeptAnswer = Pick<
  CheckResult,
  'face_found' | 'content_credentials' | 'image' | 'scores' | 'face_box'
>;

/** What the history is told beside a report: the kept image, the caller's own reference, what people call it, what it shows. */
type BesideReport = Partial<Pick<CheckRecord, 'imageId' | 'ref' | 'name' | 'hash'>>;

/** A report as it is charged. */
export function toCheckRecord(
  report: CheckReport,
  latencyMs: number,
  { imageId = null, ref = null, name = null, hash = null }: BesideReport = {},
): CheckRecord {
  const { id, isAi, fired, profile, model, bandsVersion, reason, fullImageScore, faceScore } = report;
  const verdict = { id, isAi, fired, profile, model, bandsVersion, reason, fullImageScore, faceScore };
  const { face_found, content_credentials, image, scores, face_box } = presentCheck(report);
  const answer = { face_found, content_credentials, image, scores, face_box };
  const { attention, colours } = report;
  return { ...verdict, latencyMs, imageId, ref, name, attention, colours, answer, hash };
}

/** Checks of one request that are charged together or not at all. */
interface Charge {
  readonly payer: Payer;
  readonly requestId: string;
  /** Whether each check gets a row of the history, beside the counters. */
  readonly keepsHistory: boolean;
  /** At least one. */
  readonly checks: readonly CheckRecord[];
  /** With the lock of an idempotency key, the body to repeat. */
  readonly answer: {
    readonly lock: KeyLock;
    readonly body: string;
    /** Identifiers of earlier checks that the body names. */
    readonly named?: readonly string[];
  } | null;
  /** Hears of marks of the quota; default: nobody does. */
  readonly onMark?: QuotaListener | null;
}

/** Thrown if something that an answer names was erased while the request ran. The answer must be made again without it. */
export class ErasedMeanwhile extends Error {
  constructor(
    readonly checkIds: ReadonlySet<string>,
    readonly imageIds: ReadonlySet<string>,
  ) {
    super('a check or an image was erased while the request ran');
  }
}

/**
 * Writes one row a check (if the history is kept), adds to the counters of the period and the day and stores the
 * answer. All of it is one transaction. Gives the period's counters after it. Errors: quota_exceeded, if it would
 * pass the plan's quota (nothing is charged then); deadline_exceeded, if the lock has passed to another request;
 * unavailable. Throws ErasedMeanwhile, and charges nothing, if a kept image or an earlier check that the answer names is gone.
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
    // Last, because every request of the account waits for this row until the commit.
    return addToPeriod(queries, { accountId, plan, now, used: checks.length, reserved: 0, onMark });
  });
}

/** Locks what the answer names until the commit: first checks, then images, in the order in which `eraseCheck` does. */
async function requireUnerased(
  queries: Queries,
  { payer: { accountId }, checks, answer }: Charge,
  now: Date,
): Promise<void> {
  const named = [...new Set(answer?.named)];
  const images = [...new Set(checks.flatMap(({ imageId }) => imageId ?? []))];
  const goneChecks = new Set(named);
  const goneImages = new Set(images);
  if (named.length > 0)
    for (const { id } of await queries<{ id: string; account_id: string }>('checks')
      .where({ account_id: accountId })
      .whereIn('id', named)
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

/** Checks that were set aside beforehand, and are now charged. */
interface ReservedCharge {
  readonly reservation: Reservation;
  /** The key that the work was begun with; null if a member began it. */
  readonly keyId: string | null;
  readonly memberId: string | null;
  /** What the work is called: it takes the place of a request's identifier. */
  readonly workId: string;
  readonly keepsHistory: boolean;
  /** At least one. */
  readonly checks: readonly CheckRecord[];
}

/** Charges checks of a reservation, inside a transaction: the same rows and counters as `recordChecks`. */
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

/** What the rows of checks have in common. */
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
