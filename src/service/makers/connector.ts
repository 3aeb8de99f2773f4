// Interface of a connector to the service of a company that runs an image generator. A new connector needs a
// file that creates it, a row in makers.ts and a name in MAKER_NAMES.
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { MakerName } from '../../accounts/makers.js';
import { requireShape } from 'telltale-engine/internal/base/shape.js';
import { quoteName } from 'telltale-engine/internal/check/verdict/quoted-name.js';
import type { JsonAnswer, JsonClient } from '../outbound/json-client.js';
import type { MakerAnswer, MakerFailure } from 'telltale-engine/internal/check/makers.js';
import type { SniffedImage } from 'telltale-engine/internal/engine/types.js';

/** Image to send to a maker's service. Only its bytes or its address leave the machine. */
export interface MakerQueryImage {
  readonly bytes: Uint8Array;
  readonly format: SniffedImage['format'];
  /** Address from which the image was fetched, or null if it was uploaded. */
  readonly url: string | null;
}

/** Connector to a service that reports whether its company's generator made an image. */
export interface Connector {
  /** Name in settings and results. */
  readonly name: MakerName;
  /** Display name. */
  readonly title: string;
  /** Time limit for all requests about one image. */
  readonly timeoutMs: number;
  /** Returns the reason why the service can't check this image, or null if it can. */
  refuse(image: MakerQueryImage): Extract<MakerFailure, 'unsupported_format' | 'needs_url'> | null;
  /** Returns the signals that the service detected. Rejects as `client.ask` does, or with MakerFault. */
  ask(image: MakerQueryImage, client: JsonClient, signal: AbortSignal): Promise<MakerAnswer['signals']>;
}

/** Error of a maker's service that failed or returned an unusable response. */
export class MakerFault extends Error {
  constructor(readonly failure: MakerFailure) {
    super(`a maker's service: ${failure}`);
  }
}

/**
 * Returns the body of a successful response, validated against `schema` and without unknown fields. Throws
 * MakerFault.
 */
export function requireAnswer<T extends TSchema>(
  { status, body }: JsonAnswer,
  expected: number,
  schema: T,
): Static<T> {
  if (status === 429) throw new MakerFault('rate_limited');
  if (status === 401 || status === 403 || status === 404) throw new MakerFault('not_authorized');
  if (status >= 400 && status < 500) throw new MakerFault('refused');
  if (status !== expected) throw new MakerFault('failed');
  return requireShape(schema, body, () => new MakerFault('invalid_answer'));
}

/** Schema of a string that a service's response may omit or set to null. */
export const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Puts a text from a response on one line and shortens it. Returns null for an empty text. */
export function quoteText(text: string | null | undefined): string | null {
  return text === null || text === undefined || text === '' ? null : quoteName(text);
}
