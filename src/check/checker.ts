// A checker: engine, bands and credentials put together with sane defaults, for programs that only want verdicts.
import { join } from 'node:path';
import { createEngine } from '../engine/native/engine.js';
import type { Engine, EngineOptions } from '../engine/types.js';
import { PACKAGE_MODELS_DIR, PACKAGE_TRUST_DIR } from '../base/package-paths.js';
import { loadBands } from './thresholds/bands.js';
import { CalibrationInForce } from './thresholds/calibration.js';
import { checkImage } from './check.js';
import { createLazyCredentialReader, type LazyCredentialReader } from './credentials/lazy-credentials.js';
import type { Bands, CheckInput, CheckReport, ProfileName } from './types.js';

/** How a checker is built: the engine's options and these. */
export interface CheckerOptions extends EngineOptions {
  /** File with the thresholds; default: `bands.json` of the models folder. */
  readonly bandsFile?: string | undefined;
  /** Profile where a check names none; default `balanced`. */
  readonly profile?: ProfileName | undefined;
  /**
   * Folder with the PEM files of the trust lists; default `data/trust`, where `telltale trust update` puts them, and the
   * package's own lists.
   */
  readonly trustDir?: string | undefined;
  /** Folder of the package's lists, of which the newer ones count; default: none where `trustDir` is given. */
  readonly shippedTrustDir?: string | null | undefined;
}

/** Checks pictures; one a process is enough. */
export interface Checker {
  readonly engine: Engine;
  /** The thresholds in force. */
  readonly bands: Bands;
  readonly calibration: CalibrationInForce;
  readonly credentials: LazyCredentialReader;
  /** As `checkImage`, with this checker's profile where none is named. */
  check(bytes: Uint8Array, options?: Omit<CheckInput, 'bytes'>): Promise<CheckReport>;
  /** Finishes what runs, frees everything; safe to call twice. */
  close(): Promise<void>;
}

/**
 * Loads the models and the bands. Rejects with StartError `model_invalid` or `device_unavailable`. The library that
 * reads Content Credentials is loaded with the first picture that carries a manifest.
 */
export async function createChecker(options: CheckerOptions = {}): Promise<Checker> {
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
  return {
    engine,
    get bands() {
      return calibration.current.bands;
    },
    calibration,
    credentials,
    check: (bytes, input = {}) =>
      checkImage(
        { engine, credentials, ...calibration.current },
        { bytes, ...input, profile: input.profile ?? profile },
      ),
    close: async () => {
      await Promise.all([engine.close(), credentials.close()]);
    },
  };
}

/** The bands for the engine, which is closed where they are not. */
async function loadBandsOf(engine: Engine, modelsDir: string, ownFile: string | undefined): Promise<Bands> {
  try {
    // Thresholds of one's own were set on scores that early ends had a part in: they may lie anywhere.
    return ownFile === undefined
      ? await loadBands(join(modelsDir, 'bands.json'), engine.model, engine.doubts)
      : await loadBands(ownFile, engine.model);
  } catch (error) {
    await engine.close();
    throw error;
  }
}
