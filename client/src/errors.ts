// The error class of the client. Its code tells what went wrong.
import type { ServiceErrorCode } from './types.js';

/** Error codes of the client itself: for connections, unexpected responses, files and webhooks. */
export type ClientErrorCode =
  'connection_failed' | 'timed_out' | 'invalid_response' | 'image_unreadable' | 'invalid_webhook';

/** All error codes. Later versions of the service may send others, so any string is allowed. */
export type ErrorCode = ServiceErrorCode | ClientErrorCode | (string & Record<never, never>);

/** Error of a failed call. `message` is the text of the service and never contains an API key. */
export class TelltaleError extends Error {
  override readonly name = 'TelltaleError';
  readonly code: ErrorCode;
  /** HTTP status; null if there was no response, or for one image of a batch. */
  readonly status: number | null;
  /** Identifier of the request in the service's log; null if there was no response. */
  readonly requestId: string | null;
  /** Name of the invalid field, parameter or header; null if the error is not about one. */
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
