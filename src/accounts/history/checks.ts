// The history of an account's checks: their verdicts, when and by whom they were made, and which verdicts were
// reported as wrong.
import type { KeptAnswer } from '../usage/record-checks.js';
import {
  ASSESSMENTS,
  ATTENTIONS,
  type Assessment,
  type Attention,
  type ProfileName,
  type Signal,
} from 'telltale-engine/internal/check/types.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { MEMBER_ADDRESS } from '../members/members.js';
import { APPEAL_STATES, type AppealState } from '../appeals/appeals.js';
import { applyFilter, joinKeptImage, orderWorstFirst, STATUSES, type HistoryFilter } from './filter.js';
import { LABELS } from './outcomes.js';
import type { Note, Report } from './remarks.js';

export interface PastCheck {
  readonly id: string;
  /** Name of the image's file or a short form of its URL; null if names are not stored. */
  readonly name: string | null;
  /** Reason why a person should look at the image although no detector flagged it. */
  readonly attention: Attention | null;
  /** Assessment, shown as the headline. Derived from `isAi` for checks that Telltale before 1.3 stored. */
  readonly assessment: Assessment;
  /** The image's main colours, such as `#aabbcc`; empty if not known. */
  readonly colours: readonly string[];
  readonly note: Note | null;
  /** Member who reviews the check; null if nobody does or that member no longer exists. */
  readonly claim: { readonly memberId: string; readonly memberEmail: string; readonly at: Date } | null;
  readonly accountId: string;
  /** Identifier of the request that made the check; for a check of a scan, the scan's identifier. */
  readonly requestId: string;
  readonly createdAt: Date;
  readonly isAi: boolean;
  readonly fired: readonly Signal[];
  /** Reason of the verdict; null for checks made before reasons were stored. */
  readonly reason: string | null;
  readonly profile: ProfileName;
  readonly model: string;
  readonly bandsVersion: string;
  readonly fullImageScore: number | null;
  readonly faceScore: number | null;
  readonly latencyMs: number;
  /** The API key that was used; null if a member made the check in the console. */
  readonly key: { readonly id: string; readonly name: string } | null;
  /** Address of the member who made the check in the console; null for a key or a member who no longer exists. */
  readonly memberEmail: string | null;
  /** The stored image; null if it was not stored or has been deleted. */
  readonly image: { readonly id: string; readonly format: string } | null;
  readonly report: Report | null;
  /** The caller's own reference; null if none was given. */
  readonly ref: string | null;
  readonly appeal: AppealState | null;
}

export interface AnsweredCheck extends PastCheck {
  /** The remaining fields of the response; null for checks made before these fields were stored. */
  readonly answer: KeptAnswer | null;
}

/**
 * Maximum total size in bytes of the stored responses on one page. A page of 100 usually has about 40 kB. The limit
 * keeps unusually large responses from blocking the event loop.
 */
const PAGE_ANSWER_BYTES = 1_000_000;

/** Returns at most `limit` checks of an account, newest first or in the filter's order, without responses. */
export async function listChecks(
  database: Database,
  accountId: string,
  filter: HistoryFilter,
  limit: number,
): Promise<PastCheck[]> {
  const rows = await database.read((queries) => {
    const query = selectChecks(queries, SHOWN).where('checks.account_id', accountId).limit(limit);
    if (filter.order === 'worst') orderWorstFirst(query, accountId, filter.before);
    else void query.orderBy('checks.id', 'desc');
    applyFilter(query, filter, database.dialect);
    return query;
  });
  return rows.map(readCheck);
}

/**
 * Returns one page of an account's checks with their responses, newest first. A page has at least one and at most
 * `limit` checks, and fewer than `limit` if their responses would exceed a megabyte. `isLast` is true on the last
 * page.
 */
export async function listAnswered(
  database: Database,
  accountId: string,
  filter: Omit<HistoryFilter, 'order'>,
  limit: number,
): Promise<{ readonly checks: readonly AnsweredCheck[]; readonly isLast: boolean }> {
  // Reads the sizes first, so that only the responses that fit on the page are read.
  const found = await database.read((queries) => {
    const query = joinChecks(queries)
      .where('checks.account_id', accountId)
      .orderBy('checks.id', 'desc')
      // Selects one row more than the page has, to find out whether another page follows.
      .limit(limit + 1)
      .select<{ id: string; bytes: number | null }[]>(
        'checks.id',
        queries.raw('octet_length(checks.answer) as bytes'),
      );
    applyFilter(query, filter, database.dialect);
    return query;
  });
  let room = PAGE_ANSWER_BYTES;
  const fitting = found.slice(0, limit).filter(({ bytes }, at) => {
    room -= bytes ?? 0;
    return room >= 0 || at === 0;
  });
  const ids = fitting.map(({ id }) => id);
  const rows = await database.run((queries) =>
    selectChecks(queries, [...SHOWN, 'answer'])
      .whereIn('checks.id', ids)
      .orderBy('checks.id', 'desc'),
  );
  return { checks: rows.map(readAnswered), isLast: fitting.length === found.length };
}

export async function findCheck(
  database: Database,
  accountId: string,
  id: string,
): Promise<AnsweredCheck | null> {
  const [row] = await database.run((queries) =>
    selectChecks(queries, [...SHOWN, 'answer'])
      .where({ 'checks.account_id': accountId, 'checks.id': id })
      .limit(1),
  );
  return row ? readAnswered(row) : null;
}

/** Returns all checks whose verdict was reported as wrong, of one account or of all, oldest first. */
export async function listReported(database: Database, accountId?: string): Promise<PastCheck[]> {
  const rows = await database.read((queries) => {
    const query = selectChecks(queries, SHOWN).whereNotNull('checks.reported_label').orderBy('checks.id');
    return accountId === undefined ? query : query.where('checks.account_id', accountId);
  });
  return rows.map(readCheck);
}

/** All columns of a check except the response. */
const SHOWN = (
  'id account_id request_id created_at is_ai fired reason profile model bands_version full_image_score face_score ' +
  'latency_ms key_id image_id reported_label reported_note reported_at ref name attention assessment colours note status noted_at claimed_by claimed_at appeal'
).split(' ') as (keyof CheckRow)[];

interface CheckRow {
  id: string;
  account_id: string;
  request_id: string;
  created_at: number;
  is_ai: number;
  fired: string;
  reason: string | null;
  profile: string;
  model: string;
  bands_version: string;
  full_image_score: number | null;
  face_score: number | null;
  latency_ms: number;
  key_id: string | null;
  key_name: string | null;
  member_email: string | null;
  image_id: string | null;
  image_format: string | null;
  reported_label: string | null;
  reported_note: string | null;
  reported_at: number | null;
  ref: string | null;
  /** Set only if the query selected this column. */
  answer?: string | null;
  name: string | null;
  attention: string | null;
  assessment: string | null;
  colours: string | null;
  note: string | null;
  status: string | null;
  noted_at: number | null;
  noter_email: string | null;
  claimed_by: string | null;
  claimed_at: number | null;
  claimer_email: string | null;
  appeal: string | null;
}

function joinChecks(queries: Queries) {
  return queries('checks')
    .leftJoin('api_keys', 'api_keys.id', 'checks.key_id')
    .leftJoin('members', 'members.id', 'checks.member_id');
}

function selectChecks(queries: Queries, columns: readonly (keyof CheckRow)[]) {
  return joinChecks(queries)
    .leftJoin('members as noters', 'noters.id', 'checks.noted_by')
    .leftJoin('members as claimers', 'claimers.id', 'checks.claimed_by')
    .leftJoin('images', joinKeptImage)
    .select<CheckRow[]>(
      ...columns.map((column) => `checks.${column}`),
      'api_keys.name as key_name',
      queries.raw(`${MEMBER_ADDRESS} as member_email`),
      queries.raw('coalesce(noters.address, noters.email) as noter_email'),
      queries.raw('coalesce(claimers.address, claimers.email) as claimer_email'),
      'images.format as image_format',
    );
}

function readCheck(row: CheckRow): PastCheck {
  const label = LABELS.find((name) => name === row.reported_label);
  return {
    id: row.id,
    name: row.name,
    attention: ATTENTIONS.find((reason) => reason === row.attention) ?? null,
    assessment:
      ASSESSMENTS.find((assessment) => assessment === row.assessment) ??
      (row.is_ai === 1 ? 'likely_ai' : 'no_ai_detected'),
    colours: row.colours?.split(' ') ?? [],
    note:
      row.noted_at === null
        ? null
        : {
            text: row.note ?? '',
            status: STATUSES.find((status) => status === row.status) ?? null,
            at: new Date(row.noted_at),
            memberEmail: row.noter_email,
          },
    claim:
      row.claimed_by === null || row.claimer_email === null
        ? null
        : {
            memberId: row.claimed_by,
            memberEmail: row.claimer_email,
            at: new Date(row.claimed_at ?? 0),
          },
    accountId: row.account_id,
    requestId: row.request_id,
    createdAt: new Date(row.created_at),
    isAi: row.is_ai === 1,
    fired: row.fired === '' ? [] : (row.fired.split(',') as Signal[]),
    reason: row.reason,
    profile: row.profile as ProfileName,
    model: row.model,
    bandsVersion: row.bands_version,
    fullImageScore: row.full_image_score,
    faceScore: row.face_score,
    latencyMs: row.latency_ms,
    key: row.key_id === null ? null : { id: row.key_id, name: row.key_name ?? '' },
    memberEmail: row.member_email,
    image:
      row.image_id === null || row.image_format === null
        ? null
        : { id: row.image_id, format: row.image_format },
    report:
      label === undefined
        ? null
        : { label, note: row.reported_note ?? '', at: new Date(row.reported_at ?? 0) },
    ref: row.ref,
    appeal: APPEAL_STATES.find((state) => state === row.appeal) ?? null,
  };
}

function readAnswered(row: CheckRow): AnsweredCheck {
  return { ...readCheck(row), answer: row.answer ? (JSON.parse(row.answer) as KeptAnswer) : null };
}
