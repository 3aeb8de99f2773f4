// What learning works with.
import type { Logger } from 'pino';
import type { CalibrationInForce } from '../../check/thresholds/calibration.js';
import type { ProfileName } from '../../check/types.js';
import type { Engine } from '../../engine/types.js';
import type { Database } from '../../storage/db/database.js';
import type { ImageRetention } from '../../storage/images/image-retention.js';

/** Of the process that learns. */
export interface LearnDeps {
  readonly database: Database;
  readonly retention: ImageRetention;
  readonly engine: Engine;
  readonly calibration: CalibrationInForce;
  /** Folder of the networks, with `reference` in it. */
  readonly modelsDir: string;
  /** The profile whose verdicts are to become better. */
  readonly profile: ProfileName;
  readonly log: Logger;
}
