// Interface of a connector to a maker's service. A connector is a file that creates one, its row in makers.ts and its
// name in MAKER_NAMES.
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { MakerName } from '../../accounts/makers.js';
import { requireShape } from 'telltale-engine/internal/base/shape.js';
import { quoteName } from 'telltale-engine/internal/check/verdict/quoted-name.js';
import type { JsonAnswer, JsonClient } from '../outbound/json-client.js';
import type { MakerAnswer, MakerFailure } from 'telltale-engine/internal/check/makers.js';
import type { SniffedImage } from 'telltale-engine/internal/engine/types.js';

/** Image that a service is asked about. Only its bytes, or its address, leave the machine. */
export interface AskedImage {
  readonly bytes: Uint8Array;
  readonly format: SniffedImage['format'];
  /** Address from which the image was fetched, or null if it was uploaded. */
  readonly url: string | null;
}

/** A service that reports whether an image is its maker's. */
export interface Connector {
  /** Name in settings and results. */
  readonly name: MakerName;
  /** Display name. */
  readonly title: string;
  /** Time limit for all requests about one image. */
  readonly timeoutMs: number;
  /** Returns why the service can't be asked about this image, or null. */
  refuse(image: AskedImage): Extract<MakerFailure, 'unsupported_format' | 'needs_url'> | null;
  /** Returns the detected signals. Rejects with MakerFault, as `JsonClient` does, or with the signal's reason. */
  ask(image: AskedImage, client: JsonClient, signal: AbortSignal): Promise<MakerAnswer['signals']>;
}

/** Error of a service without a usable response. */
export class MakerFault extends Error {
  constructor(readonly failure: MakerFailure) {
    super(`a maker's service: ${failure}`);
  }
}

/**
 * Returns the body of a successful response, validated against the published schema, without unknown fields. Throws
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

/** Returns a text of a service on one line and cut to size, like texts of files. */
export function quoteText(text: string | null | undefined): string | null {
  return text === null || text === undefined || text === '' ? null : quoteName(text);
}
