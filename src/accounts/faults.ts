// What an operator may get wrong about accounts and keys.

/** A request about accounts or keys that can't be done; its message is written for the operator. */
export class AccountFault extends Error {
  override readonly name = 'AccountFault';
}
