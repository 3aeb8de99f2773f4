// Gives each request an identifier, its own if it brings a sane one.
import { ulid } from 'ulid';

const SANE = /^[A-Za-z0-9._:+/=-]{1,128}$/;

/** The caller's `X-Request-Id` if it is 1 to 128 plain characters, else a new one. */
export function chooseRequestId(received: string): string {
  return SANE.test(received) ? received : `req_${ulid()}`;
}
