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
import { createCredentialReader, type ManagedCredentialReader } from './credentials/credentials.js';
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
  readonly credentials: ManagedCredentialReader;
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
 * `model_invalid` or `device_unavailable`; also with `config_invalid` if the process that reads Content Credentials can't
 * start.
 */
export async function createChecker(options: CheckerOptions = {}): Promise<Checker> {
  requireShape(
    CheckerOptionsSchema,
    options,
    ({ text }) => new StartError('config_invalid', text),
    'options',
  );
  const { profile = 'balanced', bandsFile, trustDir, shippedTrustDir, ...engineOptions } = options;
  const credentials = createCredentialReader(
    trustDir === undefined
      ? { trustDir: join('data', 'trust'), shippedTrustDir: PACKAGE_TRUST_DIR }
      : { trustDir, shippedTrustDir },
  );
  const { engine, calibration } = await startParts(credentials, engineOptions, bandsFile);
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
    credentials.close();
    await engine.close();
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

/** Starts the engine and a process that reads credentials, and loads the bands; ends both if any of these fails. */
async function startParts(
  credentials: ManagedCredentialReader,
  options: EngineOptions,
  bandsFile: string | undefined,
): Promise<Pick<Checker, 'engine' | 'calibration'>> {
  const engineStart = createEngine(options);
  try {
    // Not with the first signed image: a program that can't read credentials must not go on without notice.
    const [engine] = await Promise.all([engineStart, credentials.start()]);
    // Thresholds of one's own were set on scores that early exit had a part in: they may lie anywhere.
    const bands =
      bandsFile === undefined
        ? await loadBands(
            join(options.modelsDir ?? PACKAGE_MODELS_DIR, 'bands.json'),
            engine.model,
            engine.earlyExits,
          )
        : await loadBands(bandsFile, engine.model);
    return { engine, calibration: new CalibrationInForce(bands) };
  } catch (error) {
    credentials.close();
    await engineStart.then((engine) => engine.close()).catch(() => null);
    throw error;
  }
}
