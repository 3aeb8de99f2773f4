// Applies newly activated thresholds in this process, whichever process activated them.
import { startPolling } from 'telltale-engine/internal/base/concurrency.js';
import type { Logger } from 'pino';
import type { ActiveCalibration } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { Bands } from 'telltale-engine/internal/check/types.js';
import type { Config } from '../../config.js';
import type { Database } from '../../storage/db/database.js';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { deactivateUnsupported, loadThresholds, readActiveId } from './own-thresholds.js';

/** Milliseconds between two queries. Every process must apply new thresholds within 10 s. */
const POLL_MS = 2000;

interface FollowDeps {
  readonly database: Database;
  readonly engine: Pick<Engine, 'model'>;
  readonly calibration: ActiveCalibration;
  readonly log: Logger;
}

/**
 * Returns the reason (part of a sentence) why settings fix the thresholds of this process. Returns null if
 * the console may change them.
 */
export function explainFixed({ bandsFile, views }: Config): string | null {
  if (bandsFile !== null) return 'TELLTALE_BANDS sets the thresholds';
  return views === null
    ? null
    : 'TELLTALE_VIEWS sets the number of crops, and fitted thresholds are valid only for the default number';
}

/**
 * Applies the active thresholds before it resolves, and later changes within seconds. Keeps the current
 * thresholds while the database is unavailable. Returns a function that stops following.
 */
export async function startFollowing({
  database,
  engine,
  calibration,
  log,
}: FollowDeps): Promise<() => Promise<void>> {
  let appliedId: string | null = null;
  let fault = '';
  const applyActive = async (): Promise<void> => {
    const id = await readActiveId(database);
    if (id === appliedId) return;
    calibration.adopt(id === null ? null : await loadOrNone(id));
    appliedId = id;
    const { model, version } = calibration.current;
    log.info({ model, bands_version: version, thresholds: id }, 'new checks use other thresholds');
  };
  const loadOrNone = async (id: string): Promise<Bands | null> => {
    try {
      return await loadThresholds(database, id, engine.model);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      if (await deactivateUnsupported(database, id))
        log.warn(
          { thresholds: id },
          'a learned correction was active, which this version does not support: the shipped model and thresholds are used (docs/own-images.md)',
        );
      // Thresholds of another release do not fit this model, so the shipped ones apply until a new fit.
      else
        log.warn(
          { err: error, thresholds: id },
          'the active thresholds do not fit the model: the shipped ones are used',
        );
      return null;
    }
  };
  const attempt = async (): Promise<void> => {
    try {
      await applyActive();
      fault = '';
    } catch (error) {
      const { message } = error as Error;
      // Logs each error once, because this runs every two seconds.
      if (message !== fault) log.warn({ err: error }, 'the active thresholds could not be read');
      fault = message;
    }
  };
  await attempt();
  return startPolling(POLL_MS, attempt);
}
