// A correction, or thresholds, of the database as checks take them.
import { parseBands } from '../../check/thresholds/bands.js';
import type { Calibration } from '../../check/thresholds/calibration.js';
import type { Database } from '../../storage/db/database.js';
import { expectFit, parseAdaptation } from '../../engine/manifests/adaptation.js';
import type { NetworksIdentity } from '../../engine/types.js';
import { StartError } from '../../base/errors.js';
import { readFiles } from './corrections.js';

/** Rejects with StartError `model_invalid` if it is not there, can't be read or is for other networks. */
export async function loadCorrection(
  database: Database,
  networks: NetworksIdentity,
  id: string,
): Promise<Calibration> {
  const files = await readFiles(database, id);
  if (files === null) throw new StartError('model_invalid', 'there is no such correction that is ready');
  const bands = parseBands(JSON.parse(files.bands), 'of the correction');
  if (files.adaptation !== null) {
    const adaptation = parseAdaptation(files.adaptation, 'the database');
    expectFit(adaptation, networks);
    return { bands, correction: adaptation.correction, file: adaptation.file };
  }
  if (bands.model === networks.name) return { bands, correction: null, file: null };
  throw new StartError(
    'model_invalid',
    `the thresholds ${bands.version} are for ${bands.model}, but the models are ${networks.name}`,
  );
}
