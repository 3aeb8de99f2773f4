// Keeps a process at the correction that is in force, whichever process put it there.
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Calibration, CalibrationInForce } from '../../check/thresholds/calibration.js';
import type { Config } from '../../config.js';
import type { Database } from '../../storage/db/database.js';
import type { Engine } from '../../engine/types.js';
import { StartError } from '../../base/errors.js';
import { readInForce } from './corrections.js';
import { loadCorrection } from './load.js';

/** Of 10 s, in which all processes are to follow. */
const LOOK_MS = 2000;

/** What following works with. */
export interface FollowDeps {
  readonly database: Database;
  readonly engine: Engine;
  readonly calibration: CalibrationInForce;
  readonly log: Logger;
}

/**
 * Why a process with these settings keeps its calibration for good, as half a sentence; null if it follows the console.
 */
export function whyFixed({ bandsFile, views }: Config, { model, networks }: Engine): string | null {
  if (bandsFile !== null) return 'TELLTALE_BANDS sets the thresholds';
  if (views !== null) return 'TELLTALE_VIEWS sets the views, and corrections are learned by all of them';
  return model === networks.name ? null : `TELLTALE_MODELS_DIR holds the correction ${model}`;
}

/**
 * Takes the correction in force now before it resolves, and every later change within seconds. If the database is away,
 * the last one stays. Gives the function that stops it.
 */
export async function startFollowing({
  database,
  engine,
  calibration,
  log,
}: FollowDeps): Promise<() => Promise<void>> {
  let followed: string | null = null;
  let fault = '';
  const look = async (): Promise<void> => {
    const id = await readInForce(database);
    if (id === followed) return;
    calibration.adopt(id === null ? null : await loadOrNone(id));
    followed = id;
    const { model, version } = calibration.current.bands;
    log.info({ model, bands_version: version, correction: id }, 'checks begin with another calibration');
  };
  // Networks of a later release: every process answers as they shipped, until one is learned for them.
  const loadOrNone = async (id: string): Promise<Calibration | null> => {
    try {
      return await loadCorrection(database, engine.networks, id);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      log.warn({ err: error, correction: id }, 'the correction in force does not fit, what shipped serves');
      return null;
    }
  };
  const attempt = async (): Promise<void> => {
    try {
      await look();
      fault = '';
    } catch (error) {
      const { message } = error as Error;
      // Once, not every two seconds.
      if (message !== fault) log.warn({ err: error }, 'the correction in force could not be taken');
      fault = message;
    }
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  await attempt();
  const loop = (async () => {
    for (;;) {
      await setTimeout(LOOK_MS, undefined, { signal });
      await attempt();
    }
  })().catch(() => undefined);
  return async () => {
    stopping.abort();
    await loop;
  };
}
