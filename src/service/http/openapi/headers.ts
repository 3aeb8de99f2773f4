// Headers of answers, for /openapi.json.

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** What answers carry beside their bodies. */
export const HEADERS = {
  'X-Request-Id': text('names the request in the log'),
  RateLimit: text('what is left: requests of the moment, checks of the month'),
  'RateLimit-Policy': text('what the plan allows'),
  'Server-Timing': text('where the time went, by stage'),
  'Retry-After': { description: 'seconds to wait', schema: { type: 'integer', minimum: 0 } },
  'Idempotent-Replayed': text('true for an answer that was given before'),
  'Next-Cursor': text('cursor of the page that follows; missing at the end'),
} as const;

/** One of them. */
export type HeaderName = keyof typeof HEADERS;

/** Of every answer to a request with a key. */
export const EVERY_ANSWER: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Server-Timing',
];

/** References to them, as a response has them. */
export function headersOf(names: readonly HeaderName[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
