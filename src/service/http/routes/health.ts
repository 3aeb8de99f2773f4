// Routes of liveness and readiness.
import type { CalibrationInForce } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { TrustDescription } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Database } from '../../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Context } from '../state.js';

/** Handles GET /healthz: reports that the process runs, without using anything outside it. */
export function getHealth(ctx: Context): void {
  ctx.body = { status: 'ok' };
}

/** Dependencies of readiness, and what it reports. */
interface ReadinessDeps {
  readonly database: Database;
  readonly calibration: CalibrationInForce;
  readonly isStopping: () => boolean;
  readonly readTrust: () => Promise<TrustDescription>;
  /** Rejects if the process that reads Content Credentials can't be started. */
  readonly startReader: () => Promise<void>;
}

/**
 * Handles GET /readyz: reports whether the service can check. Throws CheckError overloaded while stopping, and
 * unavailable if the database is not writable or no process that reads Content Credentials starts.
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
    // Outdated lists are reported but do not stop checks.
    const { model, version } = calibration.current;
    ctx.body = { status: 'ready', model, bands_version: version, trust: await readTrust() };
  };
}

const SLOT = 1;
/** Milliseconds during which requests share one result, because each probe is a commit and anybody may ask. */
const SHARED_MS = 1000;

/** Creates a probe that rejects with CheckError `unavailable` and runs at most once per second. */
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
