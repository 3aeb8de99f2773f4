// Which checks of the history are meant.
import type { Knex } from 'knex';
import type { Signal } from 'telltale-engine/internal/check/types.js';
import type { Dialect } from '../../storage/db/dialect.js';
import { MEMBER_ADDRESS } from '../members/members.js';

/** Where a check stands at the desk. */
export const STATUSES = ['open', 'confirmed', 'cleared'] as const;
/** One of them. */
export type Status = (typeof STATUSES)[number];

/** True of checks of scans alone: the index that finds those of one scan holds no others. */
export const OF_A_SCAN = "checks.request_id like 'scn%'";

/** What to list. */
export interface HistoryFilter {
  /** `look`: eyes are needed though nothing fired; `blank`: there is nothing to judge; `no_ai` has both, too. */
  readonly verdict?: 'ai' | 'no_ai' | 'reported' | 'look' | 'blank';
  /** `none`: nobody said so far. */
  readonly status?: Status | 'none';
  /** In the name, the caller's own reference or the note, in any case of its letters. */
  readonly text?: string;
  /** In the address of the member, or the name of the key, that made it. */
  readonly person?: string;
  /** Who took it for review: a member's identifier, or whether anybody who is still a member did. */
  readonly claimed?: string | boolean;
  readonly fired?: Signal;
  /** Start of an identifier. */
  readonly id?: string;
  /** Only checks before the one with this identifier. */
  readonly before?: string;
  /** The caller's own reference. */
  readonly ref?: string;
  /** Only checks from this moment on. */
  readonly from?: Date;
  /** Only checks before this moment. */
  readonly to?: Date;
  /** Only checks of the scan with this identifier. */
  readonly scan?: string;
  /** What needs eyes comes first, and `before` stands for what is listed before; else the newest comes first. */
  readonly order?: 'worst';
}

/** The member who took a check and is still one. */
const CLAIMER = 'select 1 from members as takers where takers.id = checks.claimed_by';

/** A query of checks, joined with their keys and members. */
type CheckQuery = Pick<Knex.QueryBuilder, 'where' | 'whereNot' | 'whereNull' | 'whereNotNull' | 'whereRaw'>;

/** Narrows a query of checks, their keys and their members to those that `filter` is about. */
export function applyFilter(query: CheckQuery, filter: HistoryFilter, dialect: Dialect): void {
  const { verdict, status } = filter;
  if (verdict === 'reported') void query.whereNotNull('checks.reported_label');
  else if (verdict === 'blank') void query.where('checks.attention', 'blank');
  else if (verdict === 'look')
    void query.whereNotNull('checks.attention').whereNot('checks.attention', 'blank');
  else if (verdict) void query.where('checks.is_ai', verdict === 'ai' ? 1 : 0);
  if (status === 'none') void query.whereNull('checks.status');
  else if (status) void query.where('checks.status', status);
  if (typeof filter.claimed === 'string') void query.where('checks.claimed_by', filter.claimed);
  else if (filter.claimed === true) void query.whereRaw(`exists (${CLAIMER})`);
  else if (filter.claimed === false) void query.whereRaw(`not exists (${CLAIMER})`);
  // Names of signals hold no wildcard but `_`, which stands for itself here too.
  if (filter.fired) void query.where('checks.fired', 'like', `%${filter.fired}%`);
  if (filter.id) void query.where('checks.id', 'like', `${filter.id}%`);
  if (filter.before && filter.order === undefined) void query.where('checks.id', '<', filter.before);
  const has = (columns: readonly string[], text: string): void =>
    void query.whereRaw(anyHas(columns, dialect), Array<string>(columns.length).fill(patternOf(text, dialect)));
  if (filter.text) has(['checks.name', 'checks.ref', 'checks.note'], filter.text);
  if (filter.person) has([MEMBER_ADDRESS, 'api_keys.name'], filter.person);
  if (filter.scan) void query.where('checks.request_id', filter.scan).whereRaw(OF_A_SCAN);
  if (filter.ref !== undefined) void query.where('checks.ref', filter.ref);
  if (filter.from) void query.where('checks.created_at', '>=', filter.from.getTime());
  if (filter.to) void query.where('checks.created_at', '<', filter.to.getTime());
}

/** Returns SQL that holds if one of `columns` matches the pattern; each column takes the pattern as a bound value. */
function anyHas(columns: readonly string[], dialect: Dialect): string {
  const operator = dialect === 'sqlite' ? 'glob' : '~';
  return `(${columns.map((column) => `${column} ${operator} ?`).join(' or ')})`;
}

/**
 * Returns the pattern of texts that contain `text` in any case: GLOB on SQLite, a regular expression on PostgreSQL.
 * Each letter is written as the set of its cases, because lower() depends on the locale of the server, and on SQLite
 * knows ASCII only.
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

/** Returns the cases of a character that are one character long: an S for an s, but no SS for an ß. */
function casesOf(character: string): string[] {
  const cases = [character, character.toLowerCase(), character.toUpperCase()];
  cases.push(...cases.map((one) => one.toLowerCase()));
  return [...new Set(cases.filter((one) => [...one].length === 1))];
}

/**
 * The order of a history that is looked through for what needs eyes. Where a check stands, all parts rising: its verdict, then the score of the whole image from the highest, then its
 * identifier. Scores of the two detectors can't be compared, so that of the face orders nothing.
 */
function placeOf(table: string): string[] {
  return [
    `(case when ${table}.is_ai = 1 then 0 when ${table}.attention = 'blank' then 3 when ${table}.attention is null then 2 else 1 end)`,
    // Without a score Content Credentials decided.
    `(-coalesce(${table}.full_image_score, 1))`,
    `${table}.id`,
  ];
}

/** Orders checks by it; with `after` gives those behind the account's check with this identifier. */
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
