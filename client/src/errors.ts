// What a call may fail with: one class, distinguished by its code.
import type { ServiceErrorCode } from './types.js';

/** Codes of the client's own: no answer came, it came too late, or it was none of the service's; nor was a webhook. */
export type ClientErrorCode = 'connection_failed' | 'timed_out' | 'invalid_response' | 'invalid_webhook';

/** What to branch on; a code of a later version of the service is a string like any other. */
export type ErrorCode = ServiceErrorCode | ClientErrorCode | (string & Record<never, never>);

/** A call that failed. `message` is the service's own, written for people; it never holds a key. */
export class TelltaleError extends Error {
  override readonly name = 'TelltaleError';
  readonly code: ErrorCode;
  /** HTTP status; null if no answer came, and for an entry of a batch. */
  readonly status: number | null;
  /** Names the request in the service's log; null if there is none. */
  readonly requestId: string | null;
  /** The member, field, parameter or header that it is about; null if there is none. */
  readonly param: string | null;

  constructor(
    code: ErrorCode,
    message: string,
    about: {
      readonly status?: number;
      readonly requestId?: string | null;
      readonly param?: string | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.code = code;
    this.status = about.status ?? null;
    this.requestId = about.requestId ?? null;
    this.param = about.param ?? null;
  }
}
