// A checker: engine, bands and credentials put together with sane defaults, for programs that only want verdicts.
import { Type, type TSchema } from '@sinclair/typebox';
import { join } from 'node:path';
import { createEngine } from '../engine/native/engine.js';
import type { Engine, EngineOptions } from '../engine/types.js';
import { StartError } from '../base/errors.js';
import { exactly, nonEmpty, oneOf, requireShape } from '../base/shape.js';
import { ENGINE_OPTIONS } from '../engine/native/options.js';
import { PACKAGE_MODELS_DIR, PACKAGE_TRUST_DIR } from '../base/package-paths.js';
import { loadBands } from './thresholds/bands.js';
import { CalibrationInForce } from './thresholds/calibration.js';
import { checkImage } from './check.js';
import { checkMany, type Checked, type ManyInput, type ManyOptions } from './check-many.js';
import { createLazyCredentialReader, type LazyCredentialReader } from './credentials/lazy-credentials.js';
import { PROFILE_NAMES, type Bands, type CheckInput, type ProfileName } from './types.js';
import type { CheckReport } from './report.js';

/** How a checker is built: the engine's options and these. */
export interface CheckerOptions extends EngineOptions {
  /** File with the thresholds; default: `bands.json` of the models folder. */
  readonly bandsFile?: string | undefined;
  /** Profile if a check names none; default `balanced`. */
  readonly profile?: ProfileName | undefined;
  /**
   * Folder with the PEM files of the trust lists; default `data/trust`, where `telltale trust update` puts them, and the
   * package's own lists.
   */
  readonly trustDir?: string | undefined;
  /** Folder of the package's lists; the newer ones of both count. Default: none if `trustDir` is given. */
  readonly shippedTrustDir?: string | null | undefined;
}

/** Checks images; one a process is enough. */
export interface Checker {
  readonly engine: Engine;
  /** The thresholds in force. */
  readonly bands: Bands;
  readonly calibration: CalibrationInForce;
  readonly credentials: LazyCredentialReader;
  /** As `checkImage`, with this checker's profile if none is named. Rejects with TypeError once it is closed. */
  check(bytes: Uint8Array, options?: Omit<CheckInput, 'bytes'>): Promise<CheckReport>;
  /**
   * Checks any number of images, `concurrency` at a time, and gives their outcomes in order. Images are taken from
   * `inputs` as they are needed. An image's CheckError is its outcome; the signal's reason and a TypeError end the run.
   */
  checkMany<T extends ManyInput>(
    inputs: Iterable<T> | AsyncIterable<T>,
    options?: ManyOptions,
  ): AsyncIterable<Checked<T>>;
  /** Finishes the checks that run, frees everything; safe to call twice. */
  close(): Promise<void>;
}

const folder = nonEmpty('the path of a folder');
const CheckerOptionsSchema = exactly({
  ...ENGINE_OPTIONS,
  bandsFile: Type.Optional(nonEmpty('the path of a file')),
  profile: Type.Optional(oneOf(PROFILE_NAMES)),
  trustDir: Type.Optional(folder),
  shippedTrustDir: Type.Optional(
    Type.Union([folder, Type.Null()], { expected: 'the path of a folder, or null,' }),
  ),
} satisfies Record<keyof CheckerOptions, TSchema>);

/**
 * Loads the models and the bands. Rejects with StartError `config_invalid` for an option that can't be used,
 * `model_invalid` or `device_unavailable`. The library that reads Content Credentials is loaded with the first image
 * that carries a manifest.
 */
export async function createChecker(options: CheckerOptions = {}): Promise<Checker> {
  requireShape(
    CheckerOptionsSchema,
    options,
    ({ text }) => new StartError('config_invalid', text),
    'options',
  );
  const { profile = 'balanced', bandsFile, trustDir, shippedTrustDir, ...engineOptions } = options;
  const engine = await createEngine(engineOptions);
  const calibration = new CalibrationInForce(
    await loadBandsOf(engine, options.modelsDir ?? PACKAGE_MODELS_DIR, bandsFile),
  );
  const credentials = createLazyCredentialReader(
    trustDir === undefined
      ? { trustDir: join('data', 'trust'), shippedTrustDir: PACKAGE_TRUST_DIR }
      : { trustDir, shippedTrustDir },
  );
  const running = new Set<Promise<CheckReport>>();
  let closing: Promise<void> | null = null;
  const check: Checker['check'] = async (bytes, input = {}) => {
    if (closing) throw new TypeError('The checker is closed: it checks nothing any more');
    const checked = checkImage(
      { engine, credentials, bands: calibration.current },
      { ...input, bytes, profile: input.profile ?? profile },
    );
    running.add(checked);
    return checked.finally(() => running.delete(checked));
  };
  const close = async (): Promise<void> => {
    // A check takes several turns at the engine, which would refuse the later ones.
    await Promise.allSettled(running);
    await Promise.all([engine.close(), credentials.close()]);
  };
  return {
    engine,
    get bands() {
      return calibration.current;
    },
    calibration,
    credentials,
    check,
    checkMany: (inputs, { concurrency = engine.stats().threads.decode + 1, ...input } = {}) =>
      checkMany(inputs, (bytes) => check(bytes, input), concurrency),
    close: () => (closing ??= close()),
  };
}

/** The bands for the engine, which is closed if they are not. */
async function loadBandsOf(engine: Engine, modelsDir: string, ownFile: string | undefined): Promise<Bands> {
  try {
    // Thresholds of one's own were set on scores that early exit had a part in: they may lie anywhere.
    return ownFile === undefined
      ? await loadBands(join(modelsDir, 'bands.json'), engine.model, engine.earlyExits)
      : await loadBands(ownFile, engine.model);
  } catch (error) {
    await engine.close();
    throw error;
  }
}
