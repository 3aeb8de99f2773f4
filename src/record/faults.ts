// Errors about a record or its key.
import { AskerFault } from 'telltale-engine/internal/base/errors.js';

/** Error about a record or key that can't be used. Its message is one line for people. */
export class RecordFault extends AskerFault {
  override readonly name = 'RecordFault';
}
