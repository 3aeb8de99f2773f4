// Filters and sorting for lists of past checks.
import type { Knex } from 'knex';
import type { Signal } from 'telltale-engine/internal/check/types.js';
import type { Dialect } from '../../storage/db/dialect.js';
import type { Outcome } from './outcomes.js';
import { MEMBER_ADDRESS } from '../members/members.js';

/** Possible results of a review. */
export const STATUSES = ['open', 'confirmed', 'cleared'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * SQL condition that is true only for checks of scans. The index of these checks is used only in queries with
 * this condition.
 */
export const IS_FROM_SCAN = "checks.request_id like 'scn%'";

/** Returns SQL for the assessment of a check. `is_ai` gives it for checks that Telltale before 1.3 stored. */
export const assessmentIn = (table: string): string =>
  `coalesce(${table}.assessment, case when ${table}.is_ai = 1 then 'likely_ai' else 'no_ai_detected' end)`;

/** Returns SQL for the outcome of a check: `overturned`, or the assessment. */
export const outcomeIn = (table: string): string =>
  `case when ${table}.appeal = 'overturned' then 'overturned' else ${assessmentIn(table)} end`;

/** Joins the check's image if the image's file is stored. */
export function joinKeptImage(join: Knex.JoinClause): void {
  void join.on('images.id', 'checks.image_id').andOnNotNull('images.stored_at');
}

export interface HistoryFilter {
  /** Outcome, or `reported` for checks that members reported as wrong. */
  readonly verdict?: Outcome | 'reported';
  /** True for flagged images, false for all others. */
  readonly isAi?: boolean;
  /** Result of the review; `none` selects checks that were not reviewed. */
  readonly status?: Status | 'none';
  /** Text that the image's name, the caller's own reference or the note contains, in upper or lower case. */
  readonly text?: string;
  /** Text that the member's address or the name of the key that made the check contains. */
  readonly person?: string;
  /** Only checks assigned for review to this member. True: to any current member; false: to nobody. */
  readonly claimed?: string | boolean;
  readonly fired?: Signal;
  /** Beginning of the check's identifier. */
  readonly id?: string;
  /** Only checks that the list shows after the check with this identifier. */
  readonly before?: string;
  /** The caller's own reference. */
  readonly ref?: string;
  /** Only checks from this time on. */
  readonly from?: Date;
  /** Only checks before this time. */
  readonly to?: Date;
  /** Only checks of the scan with this identifier. */
  readonly scan?: string;
  /** Order of the list. `worst`: first the checks that a person should look at. Default: newest first. */
  readonly order?: 'worst';
}

/** SQL that selects the member to whom the check is assigned, if that member still exists. */
const CLAIMER = 'select 1 from members as takers where takers.id = checks.claimed_by';

/** A query of checks, joined with their keys and members. */
type CheckQuery = Pick<Knex.QueryBuilder, 'where' | 'whereNot' | 'whereNull' | 'whereNotNull' | 'whereRaw'>;

/** Adds the conditions of `filter` to a query of checks that is joined with their keys and members. */
export function applyFilter(query: CheckQuery, filter: HistoryFilter, dialect: Dialect): void {
  const { verdict, status } = filter;
  if (verdict === 'reported') void query.whereNotNull('checks.reported_label');
  else if (verdict) void query.whereRaw(`${outcomeIn('checks')} = ?`, [verdict]);
  if (filter.isAi !== undefined) void query.where('checks.is_ai', filter.isAi ? 1 : 0);
  if (status === 'none') void query.whereNull('checks.status');
  else if (status) void query.where('checks.status', status);
  if (typeof filter.claimed === 'string') void query.where('checks.claimed_by', filter.claimed);
  else if (filter.claimed === true) void query.whereRaw(`exists (${CLAIMER})`);
  else if (filter.claimed === false) void query.whereRaw(`not exists (${CLAIMER})`);
  // No escaping is needed: names of signals contain no wildcard except `_`, which also matches itself.
  if (filter.fired) void query.where('checks.fired', 'like', `%${filter.fired}%`);
  if (filter.id) void query.where('checks.id', 'like', `${filter.id}%`);
  if (filter.before && filter.order === undefined) void query.where('checks.id', '<', filter.before);
  const containsText = (columns: readonly string[], text: string): void =>
    void query.whereRaw(
      anyHas(columns, dialect),
      Array<string>(columns.length).fill(patternOf(text, dialect)),
    );
  if (filter.text) containsText(['checks.name', 'checks.ref', 'checks.note'], filter.text);
  if (filter.person) containsText([MEMBER_ADDRESS, 'api_keys.name'], filter.person);
  if (filter.scan) void query.where('checks.request_id', filter.scan).whereRaw(IS_FROM_SCAN);
  if (filter.ref !== undefined) void query.where('checks.ref', filter.ref);
  if (filter.from) void query.where('checks.created_at', '>=', filter.from.getTime());
  if (filter.to) void query.where('checks.created_at', '<', filter.to.getTime());
}

/** Returns SQL that is true if one of `columns` matches the pattern. Bind the pattern once per column. */
function anyHas(columns: readonly string[], dialect: Dialect): string {
  const operator = dialect === 'sqlite' ? 'glob' : '~';
  return `(${columns.map((column) => `${column} ${operator} ?`).join(' or ')})`;
}

/**
 * Returns a pattern for texts that contain `text` in upper or lower case: GLOB on SQLite, a regular expression on
 * PostgreSQL. Each letter becomes the set of its upper-case and lower-case forms, because lower() depends on the
 * server's locale and handles only ASCII on SQLite.
 */
function patternOf(text: string, dialect: Dialect): string {
  const parts = Array.from(text, (character) => {
    const cases = casesOf(character);
    if (cases.length > 1) return `[${cases.join('')}]`;
    if (dialect === 'sqlite') return /[*?[]/.test(character) ? `[${character}]` : character;
    return /[\\^$.|?*+()[\]{}]/.test(character) ? `\\${character}` : character;
  });
  return dialect === 'sqlite' ? `*${parts.join('')}*` : parts.join('');
}

/** Returns the upper-case and lower-case forms of a character, except forms like `SS` for `ß`. */
function casesOf(character: string): string[] {
  const cases = [character, character.toLowerCase(), character.toUpperCase()];
  cases.push(...cases.map((one) => one.toLowerCase()));
  return [...new Set(cases.filter((one) => [...one].length === 1))];
}

/**
 * Returns the SQL columns that sort checks in the order `worst`: by headline, then by full-image score from the
 * highest, then by identifier. The face score is not used, because the scores of the two detectors can't be compared.
 */
function placeOf(table: string): string[] {
  return [
    // Unclear images that the profile flagged come before other unclear images.
    `(case ${outcomeIn(table)} when 'likely_ai' then 0 when 'unclear' then 2 - ${table}.is_ai else 3 end)`,
    // A check without a score was decided by Content Credentials and comes first.
    `(-coalesce(${table}.full_image_score, 1))`,
    `${table}.id`,
  ];
}

/** Sorts checks in the order `worst`. With `after`, returns only checks that follow the check with this identifier. */
export function orderWorstFirst(
  query: Pick<Knex.QueryBuilder, 'orderByRaw' | 'whereRaw'>,
  accountId: string,
  after: string | undefined,
): void {
  void query.orderByRaw(placeOf('checks').join(', '));
  if (after === undefined) return;
  void query.whereRaw(
    `(${placeOf('checks').join(', ')}) > (select ${placeOf('last').join(', ')} from checks as last where last.id = ? and last.account_id = ?)`,
    [after, accountId],
  );
}
