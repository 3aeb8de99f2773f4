// Errors about a record or its key.
import { RequestFault } from 'telltale-engine/internal/base/errors.js';

/** Error about a record or key that can't be used. Its message is one line for people. */
export class RecordFault extends RequestFault {
  override readonly name = 'RecordFault';
}
