// Routes /healthz and /readyz for monitoring.
import type { ActiveCalibration } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { TrustDescription } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Database } from '../../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Context } from '../state.js';

/** Handles GET /healthz: reports that the process runs. Uses nothing outside the process. */
export function getHealth(ctx: Context): void {
  ctx.body = { status: 'ok' };
}

/** Dependencies of GET /readyz. */
interface ReadinessDeps {
  readonly database: Database;
  readonly calibration: ActiveCalibration;
  readonly isStopping: () => boolean;
  readonly readTrust: () => Promise<TrustDescription>;
  /** Rejects if the process that reads Content Credentials can't be started. */
  readonly startReader: () => Promise<void>;
}

/**
 * Handles GET /readyz: reports whether checks are possible. Throws CheckError overloaded while stopping,
 * unavailable if the database is not writable or no process that reads Content Credentials can be started.
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
    // Outdated trust lists are reported but do not prevent checks.
    const { model, version } = calibration.current;
    ctx.body = { status: 'ready', model, bands_version: version, trust: await readTrust() };
  };
}

const SLOT = 1;
/** Milliseconds for which a result is reused. Each probe is a commit, and anybody may send requests. */
const SHARED_MS = 1000;

/** Creates a function that tests, at most once per second, whether the database is writable. */
function createWriteProbe(database: Database): () => Promise<void> {
  let last: { readonly probe: Promise<void>; readonly atMs: number } | null = null;
  const probe = async (): Promise<void> => {
    await database.run((queries) =>
      queries('write_probe').insert({ slot: SLOT, written_at: Date.now() }).onConflict('slot').merge(),
    );
  };
  return () => {
    const nowMs = performance.now();
    if (last === null || nowMs - last.atMs >= SHARED_MS) last = { probe: probe(), atMs: nowMs };
    return last.probe;
  };
}
