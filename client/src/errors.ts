// Errors of calls: one class, distinguished by its code.
import type { ServiceErrorCode } from './types.js';

/** Codes of the client itself: connection errors, unexpected responses, unreadable files and unsigned webhooks. */
export type ClientErrorCode =
  'connection_failed' | 'timed_out' | 'invalid_response' | 'image_unreadable' | 'invalid_webhook';

/** Code to branch on. Later versions of the service may send further codes. */
export type ErrorCode = ServiceErrorCode | ClientErrorCode | (string & Record<never, never>);

/** A failed call. `message` is the text of the service and never contains a key. */
export class TelltaleError extends Error {
  override readonly name = 'TelltaleError';
  readonly code: ErrorCode;
  /** HTTP status; null without a response and for an entry of a batch. */
  readonly status: number | null;
  /** Identifier of the request in the service's log, or null. */
  readonly requestId: string | null;
  /** Name of the invalid field, parameter or header, or null. */
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
