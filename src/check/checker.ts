// A checker: engine, bands and credentials put together with sane defaults, for programs that only want verdicts.
import { join } from 'node:path';
import { createEngine } from '../engine/native/engine.js';
import type { Engine, EngineOptions } from '../engine/types.js';
import { StartError } from '../base/errors.js';
import { complainOfUnknown, complaint, isRecord, isText } from '../base/validation.js';
import { ENGINE_OPTION_NAMES } from '../engine/native/options.js';
import { PACKAGE_MODELS_DIR, PACKAGE_TRUST_DIR } from '../base/package-paths.js';
import { loadBands } from './thresholds/bands.js';
import { CalibrationInForce } from './thresholds/calibration.js';
import { checkImage } from './check.js';
import { checkMany, type Checked, type ManyInput, type ManyOptions } from './check-many.js';
import { createLazyCredentialReader, type LazyCredentialReader } from './credentials/lazy-credentials.js';
import { PROFILE_NAMES, type Bands, type CheckInput, type CheckReport, type ProfileName } from './types.js';

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

const OWN_OPTION_NAMES = Object.keys({
  bandsFile: true,
  profile: true,
  trustDir: true,
  shippedTrustDir: true,
} satisfies Record<Exclude<keyof CheckerOptions, keyof EngineOptions>, true>);

/**
 * Loads the models and the bands. Rejects with StartError `config_invalid` for an option that can't be used,
 * `model_invalid` or `device_unavailable`. The library that reads Content Credentials is loaded with the first image
 * that carries a manifest.
 */
export async function createChecker(options: CheckerOptions = {}): Promise<Checker> {
  checkOptions(options);
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

/** Throws StartError `config_invalid` at the first option of the checker's own that can't be used; the engine looks at its own. */
function checkOptions(options: CheckerOptions): void {
  const expect = (isValid: boolean, expected: string, name: string, value: unknown): void => {
    if (!isValid) throw new StartError('config_invalid', complaint(expected, name, value));
  };
  expect(isRecord(options), 'an object', 'options', options);
  const unknown = complainOfUnknown(options, [...OWN_OPTION_NAMES, ...ENGINE_OPTION_NAMES]);
  if (unknown !== null) throw new StartError('config_invalid', unknown);
  const { profile, bandsFile, trustDir, shippedTrustDir } = options;
  if (profile !== undefined)
    expect(PROFILE_NAMES.includes(profile), `one of ${PROFILE_NAMES.join(', ')}`, 'profile', profile);
  expect(bandsFile === undefined || isText(bandsFile), 'the path of a file', 'bandsFile', bandsFile);
  expect(trustDir === undefined || isText(trustDir), 'the path of a folder', 'trustDir', trustDir);
  expect(
    shippedTrustDir === undefined || shippedTrustDir === null || isText(shippedTrustDir),
    'the path of a folder, or null,',
    'shippedTrustDir',
    shippedTrustDir,
  );
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
