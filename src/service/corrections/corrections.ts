// What was learned on the machine, in the database: corrections, and thresholds. Any that is ready may be put in force.
import { ulid } from 'ulid';
import { cutPage, PAGE_ROWS, type Page } from '../../accounts/page.js';
import { OWN_NAME } from '../../calibration/adaptation/bands-file.js';
import type { Aims } from '../../calibration/adaptation/calibrate.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { isUniqueViolation } from '../../storage/db/faults.js';
import { CheckError } from '../../base/errors.js';

/** `refused`: not worth serving, or too few pictures; `failed`: it could not be learned. */
export type CorrectionState = 'waiting' | 'learning' | 'ready' | 'refused' | 'failed';

/** What it does, as `telltale models adapt` or `models calibrate` prints it. */
export interface CorrectionOutcome {
  /** Headings, then a row for each class and kind; of thresholds, for each threshold. */
  readonly table: readonly (readonly string[])[];
  /** Of thresholds: headings, then a row for each account whose pictures they are fitted to. */
  readonly whose?: readonly (readonly string[])[];
  readonly warnings: readonly string[];
}

/** What thresholds are to be fitted to. */
export interface WantedThresholds {
  readonly aims: Aims;
  /** RFC 3339; null: from the first, to the last. */
  readonly from: string | null;
  readonly to: string | null;
  readonly alsoReported: boolean;
  readonly accountIds: readonly string[];
}

/** A correction or thresholds, without what serves. */
export interface Correction {
  readonly id: string;
  readonly name: string;
  readonly kind: 'correction' | 'thresholds';
  readonly state: CorrectionState;
  /** Address of the operator who started it. */
  readonly madeBy: string;
  readonly createdAt: Date;
  /** Pictures that were looked at, of how many. */
  readonly seen: number;
  readonly pictures: number;
  /** Why it is refused or failed; null else. */
  readonly reason: string | null;
  readonly outcome: CorrectionOutcome | null;
  /** Markdown; null if there is none. */
  readonly card: string | null;
}

/** The files of what is ready. */
export interface CorrectionFiles {
  /** Null: thresholds for the networks as they shipped. */
  readonly adaptation: string | null;
  readonly bands: string;
}

/** A row of the table. */
export interface CorrectionRow {
  id: string;
  name: string;
  state: CorrectionState;
  at_work: 1 | 2 | null;
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
  adaptation: string | null;
  bands: string | null;
  wanted: string | null;
}

const SLOT = 1;
/** In `at_work`: one of each kind at a time. */
const AT_WORK = { correction: 1, thresholds: 2 } as const;

/** A page of them, newest first; `before`: the last row's identifier of the page before it. */
export async function pageCorrections(database: Database, before?: string): Promise<Page<Correction>> {
  const rows = await database.run((queries) => {
    const found = rowsOf(queries)
      .orderBy('id', 'desc')
      .limit(PAGE_ROWS + 1);
    return before === undefined ? found.select() : found.where('id', '<', before).select();
  });
  const page = cutPage(rows);
  return { rows: page.rows.map(readRow), next: page.next };
}

function readRow(row: CorrectionRow): Correction {
  return {
    id: row.id,
    name: row.name,
    kind: row.wanted === null ? 'correction' : 'thresholds',
    state: row.state,
    madeBy: row.made_by,
    createdAt: new Date(row.created_at),
    seen: row.seen,
    pictures: row.pictures,
    reason: row.reason,
    outcome: row.outcome === null ? null : (JSON.parse(row.outcome) as CorrectionOutcome),
    card: row.card,
  };
}

/**
 * Asks for a correction, or for thresholds if `wanted` says to what they are fitted, under a name of its own; gives its
 * id. Rejects with CheckError `invalid_request`.
 */
export async function requestCorrection(
  database: Database,
  name: string,
  madeBy: string,
  wanted: WantedThresholds | null = null,
): Promise<string> {
  if (!OWN_NAME.test(name)) throw refuse("Expected 1 to 32 letters, digits and dashes for 'name'");
  const id = `cor_${ulid()}`;
  const row = {
    id,
    name,
    state: 'waiting',
    at_work: AT_WORK[wanted ? 'thresholds' : 'correction'],
    made_by: madeBy,
    created_at: Date.now(),
    wanted: wanted && JSON.stringify(wanted),
  } as const;
  try {
    await database.run((queries) => rowsOf(queries).insert(row));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const [twin] = await database.run((queries) => rowsOf(queries).where({ name }).select('id'));
    const atWork = wanted ? 'other thresholds are being learned' : 'another correction is being learned';
    throw refuse(twin ? `there is a correction ${name} already` : atWork);
  }
  return id;
}

/** The correction or the thresholds in force, with the name; null: what shipped. */
export async function readNamedInForce(
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

/** Id of the correction in force; null: what shipped. */
export async function readInForce(database: Database): Promise<string | null> {
  const [row] = await database.run((queries) => slotsOf(queries).where({ slot: SLOT }).select());
  return row?.correction_id ?? null;
}

/** The files of a correction; null if it is gone or not ready. */
export async function readFiles(database: Database, id: string): Promise<CorrectionFiles | null> {
  const [row] = await database.run((queries) =>
    rowsOf(queries).where({ id, state: 'ready' }).select('adaptation', 'bands'),
  );
  return row?.bands ? { adaptation: row.adaptation, bands: row.bands } : null;
}

/** Puts a correction that is ready in force, or what shipped (null). Rejects with CheckError `invalid_request`. */
export async function putInForce(database: Database, id: string | null): Promise<void> {
  await database.transaction(async (queries) => {
    if (id !== null) {
      const [row] = await rowsOf(queries).where({ id, state: 'ready' }).forUpdate().select('id');
      if (!row) throw refuse('there is no such correction that is ready');
    }
    await slotsOf(queries).insert({ slot: SLOT, correction_id: id }).onConflict('slot').merge();
  });
}

/** Deletes one that is neither in force nor being learned. Rejects with CheckError `invalid_request`. */
export async function deleteCorrection(database: Database, id: string): Promise<void> {
  await database.transaction(async (queries) => {
    const [row] = await rowsOf(queries).where({ id }).forUpdate().select('at_work');
    if (!row) throw refuse('there is no such correction');
    if (row.at_work !== null) throw refuse('it is being learned: wait for its end');
    const [slot] = await slotsOf(queries).where({ slot: SLOT }).forUpdate().select();
    if (slot?.correction_id === id) throw refuse('it is in force: go back to what shipped first');
    await rowsOf(queries).where({ id }).delete();
  });
}

function rowsOf(queries: Queries) {
  return queries<CorrectionRow>('corrections');
}

function slotsOf(queries: Queries) {
  return queries<{ slot: number; correction_id: string | null }>('correction_in_force');
}

function refuse(message: string): CheckError {
  return new CheckError('invalid_request', message);
}
