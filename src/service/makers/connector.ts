// What a connector to a service of an image maker is: a file that makes one, its row in makers.ts and its name in MAKER_NAMES.
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { MakerName } from '../../accounts/makers.js';
import { requireShape } from 'telltale-engine/internal/base/shape.js';
import { quoteName } from 'telltale-engine/internal/check/verdict/quoted-name.js';
import type { JsonAnswer, JsonClient } from '../outbound/json-client.js';
import type { MakerAnswer, MakerFailure } from 'telltale-engine/internal/check/makers.js';
import type { SniffedImage } from 'telltale-engine/internal/engine/types.js';

/** The image that a service is asked about: its bytes leave the machine, or its address. Nothing else of the request does. */
export interface AskedImage {
  readonly bytes: Uint8Array;
  readonly format: SniffedImage['format'];
  /** Where it was fetched from; null if it was sent. */
  readonly url: string | null;
}

/** A service that says whether an image is its maker's. */
export interface Connector {
  /** As settings and results name it. */
  readonly name: MakerName;
  /** For people. */
  readonly title: string;
  /** Longest time for all that is asked about one image. */
  readonly timeoutMs: number;
  /** Why it can't be asked about this image, as `unsupported_format` or `needs_url`; null if it can. */
  refuse(image: AskedImage): Extract<MakerFailure, 'unsupported_format' | 'needs_url'> | null;
  /** What it says. Rejects with MakerFault, as `JsonClient`, or with the signal's reason. */
  ask(image: AskedImage, client: JsonClient, signal: AbortSignal): Promise<MakerAnswer['signals']>;
}

/** Why a service gave nothing that can be used. */
export class MakerFault extends Error {
  constructor(readonly failure: MakerFailure) {
    super(`a maker's service: ${failure}`);
  }
}

/** The body of a good answer, as its published schema has it; what else it holds is dropped. Throws MakerFault. */
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

/** A text of a service, or null. */
export const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** A text of a service on one line, cut to size: it comes from elsewhere like those of files. */
export function quoteText(text: string | null | undefined): string | null {
  return text === null || text === undefined || text === '' ? null : quoteName(text);
}
