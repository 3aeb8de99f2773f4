// Database operations on thresholds that were fitted on this installation.
import { ulid } from 'ulid';
import { audit } from '../../accounts/audit.js';
import { cutPage, PAGE_ROWS, type Page } from '../../accounts/page.js';
import type { Aims } from '../../calibration/thresholds/calibrate.js';
import { areAims, OWN_NAME } from '../../calibration/thresholds/own-thresholds.js';
import { parseBands } from 'telltale-engine/internal/check/thresholds/bands.js';
import type { Bands } from 'telltale-engine/internal/check/types.js';
import type { Actor, Database, Queries } from '../../storage/db/database.js';
import { isUniqueViolation } from '../../storage/db/faults.js';
import { invalidRequest, StartError } from 'telltale-engine/internal/base/errors.js';

/** State of a fit. `learning`: running; `refused`: too few images or no change; `failed`: an error. */
type FitState = 'waiting' | 'learning' | 'ready' | 'refused' | 'failed';

/** Tables about the effect of the thresholds. `telltale models calibrate` prints the same tables. */
export interface FitOutcome {
  /** A row of headings, then a row per threshold. */
  readonly table: readonly (readonly string[])[];
  /** A row of headings, then a row per account whose images were used. */
  readonly whose: readonly (readonly string[])[];
  readonly warnings: readonly string[];
}

/** Request to fit thresholds: target false-positive rates, and the selection of checks. */
export interface ThresholdsRequest {
  readonly aims: Aims;
  /** Time range of the selected checks, RFC 3339; null for no limit. */
  readonly from: string | null;
  readonly to: string | null;
  readonly alsoReported: boolean;
  readonly accountIds: readonly string[];
}

/** Description of a set of thresholds, without the threshold values. */
export interface OwnThresholds {
  readonly id: string;
  readonly name: string;
  readonly state: FitState;
  /** Email address of the operator who requested the thresholds. */
  readonly madeBy: string;
  readonly createdAt: Date;
  /** Number of images scored so far. `pictures` is the number of all images. */
  readonly seen: number;
  readonly pictures: number;
  /** Reason why the fit was refused or failed, or null. */
  readonly reason: string | null;
  readonly outcome: FitOutcome | null;
  /** Markdown document that describes the thresholds, or null. */
  readonly card: string | null;
}

/** Row of the table `corrections`. The name comes from the table's first use. */
export interface OwnThresholdsRow {
  id: string;
  name: string;
  state: FitState;
  at_work: number | null;
  made_by: string;
  created_at: number;
  claim: string | null;
  claimed_until: number | null;
  tries: number;
  seen: number;
  pictures: number;
  reason: string | null;
  outcome: string | null;
  card: string | null;
  bands: string | null;
  wanted: string;
}

const SLOT = 1;
/** Name of the shipped thresholds in the audit log. */
const SHIPPED = 'shipped';
/**
 * Value of the unique column `at_work` while thresholds wait or are fitted, so that only one fit exists at a
 * time. The previous version uses 1 for another purpose.
 */
export const FIT_RUNNING = 2;

/** A set of thresholds in the form of the JSON response. */
export interface PresentedThresholds extends Omit<OwnThresholds, 'madeBy' | 'createdAt'> {
  readonly made_by: string;
  readonly created_at: string;
}

/** Returns a set of thresholds as JSON. */
export function presentThresholds({ madeBy, createdAt, ...thresholds }: OwnThresholds): PresentedThresholds {
  return { ...thresholds, made_by: madeBy, created_at: createdAt.toISOString() };
}

/** Returns a page of threshold sets, newest first. `before` is the last identifier of the previous page. */
export async function pageThresholds(database: Database, before?: string): Promise<Page<OwnThresholds>> {
  const rows = await database.run((queries) => {
    const query = rowsOf(queries)
      .orderBy('id', 'desc')
      .limit(PAGE_ROWS + 1);
    return before === undefined ? query.select() : query.where('id', '<', before).select();
  });
  const page = cutPage(rows);
  return { rows: page.rows.map(readRow), next: page.next };
}

function readRow(row: OwnThresholdsRow): OwnThresholds {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    madeBy: row.made_by,
    createdAt: new Date(row.created_at),
    seen: row.seen,
    pictures: row.pictures,
    reason: row.reason,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as FitOutcome),
    card: row.card,
  };
}

/**
 * Requests a fit. Returns the identifier of the new thresholds. Rejects with CheckError `invalid_request`,
 * such as for a name in use.
 */
export async function requestThresholds(
  database: Database,
  name: string,
  madeBy: string,
  request: ThresholdsRequest,
): Promise<string> {
  if (!areAims(request.aims))
    throw invalidRequest(
      "Expected shares from over 0 to 0.5 that rise from strict to balanced to sensitive for 'aims'",
      { param: 'aims' },
    );
  if (!OWN_NAME.test(name)) throw invalidRequest("Expected 1 to 32 letters, digits and dashes for 'name'");
  const id = `thr_${ulid()}`;
  const row = {
    id,
    name,
    state: 'waiting',
    at_work: FIT_RUNNING,
    made_by: madeBy,
    created_at: Date.now(),
    wanted: JSON.stringify(request),
  } as const;
  try {
    await database.transaction(async (queries) => {
      await rowsOf(queries).insert(row);
      const { strict, balanced, sensitive } = request.aims;
      const after = { strict, balanced, sensitive, accounts: request.accountIds };
      const change = { accountId: null, subject: name, after };
      await audit(queries, database.actor, { what: 'thresholds.requested', ...change });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const [namesake] = await database.run((queries) => rowsOf(queries).where({ name }).select('id'));
    throw invalidRequest(namesake ? `Thresholds ${name} already exist` : 'Other thresholds are being fitted');
  }
  return id;
}

/** Returns the active thresholds with their name, or null for the shipped ones. */
export async function readActive(
  database: Database,
): Promise<{ readonly id: string; readonly name: string } | null> {
  const [row] = await database.run((queries) =>
    rowsOf(queries)
      .join('correction_in_force as slot', 'slot.correction_id', 'corrections.id')
      .where({ 'slot.slot': SLOT })
      .select<{ id: string; name: string }[]>('corrections.id', 'corrections.name'),
  );
  return row ?? null;
}

/** Returns the identifier of the active thresholds, even if they were deleted, or null for the shipped ones. */
export async function readActiveId(database: Database): Promise<string | null> {
  const [row] = await database.run((queries) => slotsOf(queries).where({ slot: SLOT }).select());
  return row?.correction_id ?? null;
}

/**
 * Loads a set of thresholds. Rejects with StartError `model_invalid` if the set is missing, not ready, or for
 * another model than `model`.
 */
export async function loadThresholds(database: Database, id: string, model: string): Promise<Bands> {
  const [row] = await database.run((queries) =>
    rowsOf(queries).where({ id, state: 'ready' }).select('bands'),
  );
  if (!row?.bands)
    throw new StartError('model_invalid', 'There are no such thresholds, or they are not ready');
  const bands = parseBands(JSON.parse(row.bands), 'of the database');
  if (bands.model === model) return bands;
  throw new StartError(
    'model_invalid',
    `the thresholds ${bands.version} are for ${bands.model}, but the models are ${model}`,
  );
}

/**
 * Activates fitted thresholds, or the shipped ones (null). Rejects with CheckError `invalid_request`, such as for
 * thresholds of another model than `model`.
 */
export async function activateThresholds(
  database: Database,
  id: string | null,
  model: string,
): Promise<void> {
  if (id !== null)
    await loadThresholds(database, id, model).catch((error: unknown) => {
      throw error instanceof StartError ? invalidRequest(error.message) : error;
    });
  await database.transaction(async (queries) => {
    const [row] = id === null ? [] : await rowsOf(queries).where({ id, state: 'ready' }).forUpdate().select();
    if (id !== null && !row) throw invalidRequest('There are no such thresholds, or they are not ready');
    const [slot] = await slotsOf(queries).where({ slot: SLOT }).forUpdate().select();
    await slotsOf(queries).insert({ slot: SLOT, correction_id: id }).onConflict('slot').merge();
    const formerId = slot?.correction_id ?? null;
    if (formerId !== id) await auditActivation(queries, database.actor, formerId, row?.name ?? null);
  });
}

/** Activates the shipped thresholds if `id` is active although it was deleted. Returns whether it did. */
export async function deactivateUnsupported(database: Database, id: string): Promise<boolean> {
  return database.transaction(async (queries) => {
    if ((await rowsOf(queries).where({ id }).select('id')).length > 0) return false;
    const slot = { slot: SLOT, correction_id: id };
    const isChanged = (await slotsOf(queries).where(slot).update({ correction_id: null })) > 0;
    if (isChanged) await auditActivation(queries, database.actor, id, null);
    return isChanged;
  });
}

/** Writes an activation to the audit log. `name` is null for the shipped thresholds. */
async function auditActivation(
  queries: Queries,
  actor: Actor,
  formerId: string | null,
  name: string | null,
): Promise<void> {
  const [former] = formerId === null ? [] : await rowsOf(queries).where({ id: formerId }).select('name');
  await audit(queries, actor, {
    what: 'thresholds.activated',
    accountId: null,
    subject: name ?? SHIPPED,
    before: { active: former?.name ?? formerId ?? SHIPPED },
    after: { active: name ?? SHIPPED },
  });
}

/** Deletes thresholds. Rejects with CheckError `invalid_request` while they are active or being fitted. */
export async function deleteThresholds(database: Database, id: string): Promise<void> {
  await database.transaction(async (queries) => {
    const [row] = await rowsOf(queries).where({ id }).forUpdate().select('at_work', 'name', 'state');
    if (!row) throw invalidRequest('there are no such thresholds');
    if (row.at_work !== null)
      throw invalidRequest('These thresholds are being fitted. Wait until they are ready');
    const [slot] = await slotsOf(queries).where({ slot: SLOT }).forUpdate().select();
    if (slot?.correction_id === id)
      throw invalidRequest('These thresholds are in use. Restore other thresholds first');
    await rowsOf(queries).where({ id }).delete();
    const change = { accountId: null, subject: row.name, before: { state: row.state } };
    await audit(queries, database.actor, { what: 'thresholds.deleted', ...change });
  });
}

function rowsOf(queries: Queries) {
  return queries<OwnThresholdsRow>('corrections');
}

function slotsOf(queries: Queries) {
  return queries<{ slot: number; correction_id: string | null }>('correction_in_force');
}
