// Errors about a record or its key.
import { AskerFault } from 'telltale-engine/internal/base/errors.js';

/** Error for a record or key that can't be used. The message gives the reason in one line. */
export class RecordFault extends AskerFault {
  override readonly name = 'RecordFault';
}
