// What may be wrong with a record, or with the key of one.
import { AskerFault } from 'telltale-engine/internal/base/errors.js';

/** A record or a key that can't be used; its message says in one line why. */
export class RecordFault extends AskerFault {
  override readonly name = 'RecordFault';
}
