// What an operator may get wrong about accounts and keys.
import { AskerFault } from '../base/errors.js';

/** A request about accounts or keys that can't be done; its message is written for the operator. */
export class AccountFault extends AskerFault {
  override readonly name = 'AccountFault';
}
