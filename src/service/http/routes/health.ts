// GET /healthz: the process lives. GET /readyz: it can serve.
import type { CalibrationInForce } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { TrustDescription } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Database } from '../../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Context } from '../state.js';

/** Handles GET /healthz; touches nothing outside the process. */
export function getHealth(ctx: Context): void {
  ctx.body = { status: 'ok' };
}

/** What readiness depends on, and what it reports. */
interface ReadinessDeps {
  readonly database: Database;
  readonly calibration: CalibrationInForce;
  readonly isStopping: () => boolean;
  readonly readTrust: () => Promise<TrustDescription>;
  /** Rejects if the process that reads Content Credentials can't be started. */
  readonly startReader: () => Promise<void>;
}

/**
 * Handles GET /readyz. Errors: overloaded while stopping, unavailable if the database can't be written or no process that
 * reads Content Credentials starts.
 */
export function getReadiness({
  database,
  calibration,
  isStopping,
  readTrust,
  startReader,
}: ReadinessDeps): (ctx: Context) => Promise<void> {
  const probe = createWriteProbe(database);
  return async (ctx) => {
    if (isStopping()) throw new CheckError('overloaded', 'the service is stopping');
    await probe();
    await startReader().catch((cause: unknown) => {
      throw new CheckError('unavailable', (cause as Error).message, { cause });
    });
    // Outdated lists are for people to see: checks go on with them.
    const { model, version } = calibration.current;
    ctx.body = { status: 'ready', model, bands_version: version, trust: await readTrust() };
  };
}

const SLOT = 1;
/** Questions within this time of each other get the same answer: strangers ask, and each look is a commit. */
const SHARED_MS = 1000;

/** Gives the look; it rejects with CheckError `unavailable`, and is one look for all who ask within a second. */
function createWriteProbe(database: Database): () => Promise<void> {
  let last: { readonly look: Promise<void>; readonly atMs: number } | null = null;
  const look = async (): Promise<void> => {
    await database.run((queries) =>
      queries('write_probe').insert({ slot: SLOT, written_at: Date.now() }).onConflict('slot').merge(),
    );
  };
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs >= SHARED_MS) last = { look: look(), atMs: nowMs };
    return last.look;
  };
}
