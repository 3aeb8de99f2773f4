// Webhook endpoints: addresses of an account that receive events, with the secrets that sign the requests.
import { ulid } from 'ulid';
import { AccountFault } from '../../accounts/accounts.js';
import { audit } from '../../accounts/audit.js';
import type { ChangeName } from '../../accounts/changes.js';
import type { Actor, Database, Queries } from '../../storage/db/database.js';
import { readEndpointUrl, type FetchAllow } from '../outbound/fetch-allow.js';
import { newSecret } from './signature.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Returns the value that only an installation with PostgreSQL has. Throws CheckError not_configured without it. */
export function requirePostgres<T>(value: T | null): T {
  if (value !== null) return value;
  throw new CheckError(
    'not_configured',
    'scans and webhooks need PostgreSQL: TELLTALE_DATABASE_URL=postgres://... enables them',
  );
}

/** Maximum number of webhook endpoints per account. Enough for production, staging and a few tools. */
export const MAX_ENDPOINTS = 5;
/** Milliseconds for which the former secret also signs after it was replaced. */
const OVERLAP_MS = 86_400_000;
/** Maximum number of former secrets that sign, because each adds 50 bytes to a header. */
const MAX_FORMER_SECRETS = 4;

/** A webhook endpoint of an account. */
export interface Endpoint {
  /** Identifier: `whe_` and a ULID. */
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly createdAt: Date;
  /** Time until which the former secret also signs, or null without a former secret. */
  readonly formerSecretUntil: Date | null;
  /** Time of the first failed attempt since the last success, or null if the last attempt succeeded. */
  readonly failingSince: Date | null;
  /** Time at which the endpoint was disabled, or null if the endpoint is enabled. */
  readonly disabledAt: Date | null;
  readonly disabledReason: string | null;
}

/** An endpoint with its new secret, which is shown only once. */
export interface NewEndpoint extends Endpoint {
  readonly secret: string;
}

/** Row of the table `webhook_endpoints`. */
export interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  events: string;
  secret: string;
  /** Former secrets, newest first, separated by spaces; null before the first rotation. */
  former_secret: string | null;
  former_secret_until: number | null;
  created_at: number;
  failing_since: number | null;
  disabled_at: number | null;
  disabled_reason: string | null;
}

/**
 * Creates an endpoint. Throws AccountFault if the account has the maximum number of endpoints or no event is
 * selected, and the errors of `readEndpointUrl`.
 */
export async function createEndpoint(
  database: Database,
  settings: {
    readonly accountId: string;
    readonly url: string;
    readonly events?: readonly EventType[];
    /** Rules that allow some non-public addresses; by default none are allowed. */
    readonly allow?: FetchAllow | null;
  },
): Promise<NewEndpoint> {
  const { accountId, events = EVENT_TYPES, allow = null } = settings;
  const url = readEndpointUrl(settings.url, allow);
  const row: EndpointRow = {
    id: `whe_${ulid()}`,
    account_id: accountId,
    url: url.href,
    events: writeEvents(events),
    secret: newSecret(),
    former_secret: null,
    former_secret_until: null,
    created_at: Date.now(),
    failing_since: null,
    disabled_at: null,
    disabled_reason: null,
  };
  const isInserted = await database.transaction(async (queries) => {
    // Locks the account, so that concurrent calls can't exceed the maximum together.
    await queries('accounts').where({ id: accountId }).forUpdate().first('id');
    const present = await queries<EndpointRow>('webhook_endpoints')
      .where({ account_id: accountId })
      .select('id');
    if (present.length >= MAX_ENDPOINTS) return false;
    await queries<EndpointRow>('webhook_endpoints').insert(row);
    await auditEndpoint(queries, database.actor, 'webhook.created', row);
    return true;
  });
  if (!isInserted)
    throw new AccountFault(`This account has the maximum of ${MAX_ENDPOINTS} webhooks. Delete one first`);
  return { ...readEndpoint(row), secret: row.secret };
}

/** Lists the endpoints of an account, or of all accounts, oldest first. */
export async function listEndpoints(database: Database, accountId?: string): Promise<Endpoint[]> {
  const rows = await database.run((queries) => {
    const query = queries<EndpointRow>('webhook_endpoints').orderBy('id').select();
    return accountId === undefined ? query : query.where({ account_id: accountId });
  });
  return rows.map(readEndpoint);
}

/** Returns an endpoint. Throws AccountFault if it does not exist or belongs to another account. */
export async function findEndpoint(database: Database, id: string, accountId?: string): Promise<Endpoint> {
  const row = await database.run((queries) => choose(queries, id, accountId).first());
  return readEndpoint(requireRow(row));
}

/**
 * Replaces the secret. The replaced secret also signs for 24 hours. So do secrets that were replaced in the 24 hours
 * before, because the receiver may still have one of them. Throws AccountFault if the endpoint does not exist.
 */
export async function rotateSecret(
  database: Database,
  id: string,
  accountId?: string,
  now: Date = new Date(),
): Promise<NewEndpoint> {
  const secret = newSecret();
  const row = await database.transaction(async (queries) => {
    const before = requireRow(await choose(queries, id, accountId).forUpdate().first());
    const changes = {
      secret,
      former_secret: activeSecrets(before, now).slice(0, MAX_FORMER_SECRETS).join(' '),
      former_secret_until: now.getTime() + OVERLAP_MS,
    };
    await choose(queries, id, accountId).update(changes);
    const after = { ...before, ...changes };
    await auditEndpoint(queries, database.actor, 'webhook.secret_rotated', after);
    return after;
  });
  return { ...readEndpoint(row), secret };
}

/**
 * Changes which events an endpoint receives. Pending deliveries are still sent. Throws AccountFault if the
 * endpoint does not exist or no event is selected.
 */
export async function changeEvents(
  database: Database,
  id: string,
  events: readonly EventType[],
  accountId?: string,
): Promise<Endpoint> {
  const chosenEvents = writeEvents(events);
  return database.transaction(async (queries) => {
    const before = requireRow(await choose(queries, id, accountId).forUpdate().first());
    await choose(queries, id, accountId).update({ events: chosenEvents });
    const after = { ...before, events: chosenEvents };
    const change = { what: 'webhook.events_changed', accountId: before.account_id, subject: id } as const;
    await audit(queries, database.actor, { ...change, before: factsOf(before), after: factsOf(after) });
    return readEndpoint(after);
  });
}

/** Returns the events as a row stores them, in a fixed order. Throws AccountFault without events. */
function writeEvents(events: readonly EventType[]): string {
  const chosenEvents = EVENT_TYPES.filter((type) => events.includes(type));
  if (chosenEvents.length === 0)
    throw new AccountFault(`Expected at least one event of ${EVENT_TYPES.join(', ')}`);
  return chosenEvents.join(',');
}

/** Enables a disabled endpoint. Throws AccountFault if the endpoint does not exist. */
export async function enableEndpoint(database: Database, id: string, accountId?: string): Promise<Endpoint> {
  return database.transaction(async (queries) => {
    const [row] = await choose(queries, id, accountId)
      .update({ disabled_at: null, disabled_reason: null, failing_since: null })
      .returning('*');
    await auditEndpoint(queries, database.actor, 'webhook.enabled', requireRow(row));
    return readEndpoint(requireRow(row));
  });
}

/** Deletes an endpoint with its log and pending deliveries. Throws AccountFault if it does not exist. */
export async function deleteEndpoint(database: Database, id: string, accountId?: string): Promise<void> {
  await database.transaction(async (queries) => {
    const [removed] = await choose(queries, id, accountId).delete().returning('*');
    await auditEndpoint(queries, database.actor, 'webhook.deleted', requireRow(removed));
  });
}

/** Returns an endpoint's facts for the audit log. Omits the address's path, which may contain a secret. */
function factsOf(row: EndpointRow) {
  return { host: new URL(row.url).host, events: row.events.split(',') };
}

/** Writes the audit log entry of a change. */
async function auditEndpoint(
  queries: Queries,
  actor: Actor,
  changeName: ChangeName,
  row: EndpointRow,
): Promise<void> {
  const facts = factsOf(row);
  const state = changeName === 'webhook.deleted' ? { before: facts } : { after: facts };
  await audit(queries, actor, { what: changeName, accountId: row.account_id, subject: row.id, ...state });
}

/** Returns the secrets that sign a request sent at `now`, newest first. */
export function activeSecrets(row: EndpointRow, now: Date): string[] {
  const isOverlap = row.former_secret !== null && (row.former_secret_until ?? 0) > now.getTime();
  return [row.secret, ...(isOverlap && row.former_secret !== null ? row.former_secret.split(' ') : [])];
}

/** Converts a row to an endpoint without its secrets. */
function readEndpoint(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    events: EVENT_TYPES.filter((type) => row.events.split(',').includes(type)),
    createdAt: new Date(row.created_at),
    formerSecretUntil: dateOf(row.former_secret_until),
    failingSince: dateOf(row.failing_since),
    disabledAt: dateOf(row.disabled_at),
    disabledReason: row.disabled_reason,
  };
}

/** Converts a time in a row to a Date. */
export function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

function choose(queries: Queries, id: string, accountId: string | undefined) {
  const query = queries<EndpointRow>('webhook_endpoints').where({ id });
  return accountId === undefined ? query : query.where({ account_id: accountId });
}

function requireRow(row: EndpointRow | undefined): EndpointRow {
  if (row === undefined) throw new AccountFault('there is no such webhook', null, 'not_found');
  return row;
}

/** Returns an endpoint as JSON without its secrets. */
export function presentEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    created_at: endpoint.createdAt.toISOString(),
    /** Time until which the secret from before the last replacement also signs. */
    former_secret_until: endpoint.formerSecretUntil?.toISOString() ?? null,
    /** Time of the first failed attempt since the last success. */
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    disabled_reason: endpoint.disabledReason,
  };
}
/** An endpoint as JSON. */
export type PresentedEndpoint = ReturnType<typeof presentEndpoint>;

/** Returns a new endpoint, or one with a new secret, as JSON with the secret. */
export function presentNewEndpoint({ secret, ...endpoint }: NewEndpoint) {
  return { ...presentEndpoint(endpoint), secret };
}

/** Names of events: a subject, a dot and a change. Source: Standard Webhooks specification. */
export const EVENT_TYPES = [
  'scan.finished',
  'scan.progress',
  'quota.reached',
  'key.expiring',
  'appeal.received',
  'appeal.decided',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Type of the event that `telltale webhooks test` and the console send. */
export const TEST_TYPE = 'webhook.test';
