// A checker for programs that only need verdicts: engine, thresholds and credentials with defaults.
import { Type, type TSchema } from '@sinclair/typebox';
import { join } from 'node:path';
import { createEngine } from '../engine/native/engine.js';
import type { Engine, EngineOptions } from '../engine/types.js';
import { StartError } from '../base/errors.js';
import { exactly, nonEmpty, oneOf, requireShape } from '../base/shape.js';
import { ENGINE_OPTIONS } from '../engine/native/options.js';
import { PACKAGE_MODELS_DIR, PACKAGE_TRUST_DIR } from '../base/package-paths.js';
import { loadBands } from './thresholds/bands.js';
import { ActiveCalibration } from './thresholds/calibration.js';
import { checkImage } from './check.js';
import { checkMany, type Checked, type ManyInput, type ManyOptions } from './check-many.js';
import { createCredentialReader, type ManagedCredentialReader } from './credentials/credentials.js';
import { PROFILE_NAMES, type Bands, type CheckInput, type ProfileName } from './types.js';
import type { CheckReport } from './report.js';

/** Options of a checker, in addition to the engine's. */
export interface CheckerOptions extends EngineOptions {
  /** Path of the file of thresholds; default: `bands.json` of the models folder. */
  readonly bandsFile?: string | undefined;
  /** Profile (set of thresholds) for checks that name none; default `balanced`. */
  readonly profile?: ProfileName | undefined;
  /**
   * Folder of trust lists: PEM files with the certificates of trusted signers. Default: `data/trust`, to
   * which `telltale trust update` writes, together with the package's own lists.
   */
  readonly trustDir?: string | undefined;
  /** Folder of the package's trust lists, used if newer. Default: none if `trustDir` is given. */
  readonly shippedTrustDir?: string | null | undefined;
}

/** Checks images. One checker per process is enough. */
export interface Checker {
  readonly engine: Engine;
  /** Thresholds that checks use now. */
  readonly bands: Bands;
  readonly calibration: ActiveCalibration;
  readonly credentials: ManagedCredentialReader;
  /**
   * Checks an image as `checkImage` does. The default profile is the checker's. Rejects with TypeError after
   * `close`.
   */
  check(bytes: Uint8Array, options?: Omit<CheckInput, 'bytes'>): Promise<CheckReport>;
  /**
   * Checks any number of images, `concurrency` at a time, and yields their results in order. Takes inputs
   * only as needed. A CheckError belongs to one image; TypeError and an abort end the run.
   */
  checkMany<T extends ManyInput>(
    inputs: Iterable<T> | AsyncIterable<T>,
    options?: ManyOptions,
  ): AsyncIterable<Checked<T>>;
  /** Finishes running checks and frees everything; safe to call twice. */
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
 * Creates a checker: loads the models and thresholds and starts the process that reads Content Credentials.
 * Rejects with StartError: `config_invalid` for an invalid option or if that process can't start,
 * `model_invalid` or `device_unavailable`.
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
    if (closing) throw new TypeError('The checker is closed');
    const checked = checkImage(
      { engine, credentials, bands: calibration.current },
      { ...input, bytes, profile: input.profile ?? profile },
    );
    running.add(checked);
    return checked.finally(() => running.delete(checked));
  };
  const close = async (): Promise<void> => {
    // Waits for running checks: each uses the engine several times, and a closing engine refuses calls.
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

/** Starts the engine and a process that reads credentials, loads thresholds; stops both after an error. */
async function startParts(
  credentials: ManagedCredentialReader,
  options: EngineOptions,
  bandsFile: string | undefined,
): Promise<Pick<Checker, 'engine' | 'calibration'>> {
  const engineStart = createEngine(options);
  try {
    // The credential reader starts now and not with the first signed image, so that a program learns early if
    // credentials can't be read.
    const [engine] = await Promise.all([engineStart, credentials.start()]);
    // An operator's own thresholds need no comparison with the limits for early exit, because they were
    // measured with early exit.
    const bands =
      bandsFile === undefined
        ? await loadBands(
            join(options.modelsDir ?? PACKAGE_MODELS_DIR, 'bands.json'),
            engine.model,
            engine.earlyExits,
          )
        : await loadBands(bandsFile, engine.model);
    return { engine, calibration: new ActiveCalibration(bands) };
  } catch (error) {
    credentials.close();
    await engineStart.then((engine) => engine.close()).catch(() => null);
    throw error;
  }
}
