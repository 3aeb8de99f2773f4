// Keeps a process at the correction that is in force, whichever process put it there.
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { parseBands } from '../check/bands.js';
import type { Calibration, CalibrationInForce } from '../check/calibration.js';
import type { Config } from '../config.js';
import type { Database } from '../db/database.js';
import { expectFit, parseAdaptation } from '../engine/adaptation.js';
import type { Engine } from '../engine/types.js';
import { StartError } from '../errors.js';
import { readFiles, readInForce } from './corrections.js';

/** Of 10 s, in which all processes are to follow. */
const LOOK_MS = 2000;

/** What following works with. */
export interface FollowDeps {
  readonly database: Database;
  readonly engine: Engine;
  readonly calibration: CalibrationInForce;
  readonly log: Logger;
}

/** Why a process with these settings keeps its calibration for good, as half a sentence; null where it follows the console. */
export function whyFixed({ bandsFile, views }: Config, { model, networks }: Engine): string | null {
  if (bandsFile !== null) return 'TELLTALE_BANDS sets the thresholds';
  if (views !== null) return 'TELLTALE_VIEWS sets the views, and corrections are learned by all of them';
  return model === networks.name ? null : `TELLTALE_MODELS_DIR holds the correction ${model}`;
}

/**
 * Takes what is in force now before it resolves, and every later change within seconds. Where the database is away, or a
 * correction is for other networks, the last one that could be had stays. Gives the function that stops it.
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
    calibration.take(id === null ? null : await load(database, engine, id));
    followed = id;
    const { model, version } = calibration.current.bands;
    log.info({ model, bands_version: version, correction: id }, 'checks begin with another calibration');
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
    while (!signal.aborted) {
      await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await attempt();
    }
  })();
  return async () => {
    stopping.abort();
    await loop;
  };
}

/** Rejects with StartError `model_invalid` where it is gone, can't be read or is for other networks. */
async function load(database: Database, { networks }: Engine, id: string): Promise<Calibration> {
  const files = await readFiles(database, id);
  if (files === null) throw new StartError('model_invalid', `the correction ${id} is gone`);
  const adaptation = parseAdaptation(files.adaptation, 'the database');
  expectFit(adaptation, networks);
  const bands = parseBands(JSON.parse(files.bands), 'of the correction');
  return { bands, correction: adaptation.correction, file: adaptation.file };
}
