// Connector to OpenAI's content provenance checks, which detect C2PA and SynthID in OpenAI's images. Source:
// https://developers.openai.com/api/docs/guides/content-provenance and the types of openai-node, November
// 2026.
import { Type } from '@sinclair/typebox';
import { quoteText, requireAnswer, Text, type Connector } from './connector.js';

const ADDRESS = new URL('https://api.openai.com/v1/content_provenance_checks');
/** Accepted formats with their media types. OpenAI accepts up to 50 MiB, which is more than Telltale does. */
const TYPES: Readonly<Record<string, string>> = { jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp' };
const TIMEOUT_MS = 10_000;

const Answer = Type.Object({
  object: Type.Literal('content_provenance_check'),
  results: Type.Array(
    Type.Object({
      type: Type.String(),
      outcome: Type.Union([Type.Literal('detected'), Type.Literal('not_detected')]),
      validation_state: Text,
      issuer: Text,
      model: Text,
      generated_at: Text,
    }),
    { maxItems: 16 },
  ),
});
const SIGNALS = ['c2pa', 'synthid'] as const;

/** Creates the connector. `key` is an OpenAI API key. */
export function createOpenAi(key: string): Connector {
  return {
    name: 'openai',
    title: 'OpenAI',
    timeoutMs: TIMEOUT_MS,
    refuse: ({ format }) => (TYPES[format] === undefined ? 'unsupported_format' : null),
    async ask({ bytes, format }, client, signal) {
      const boundary = 'telltale-image';
      const head =
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="image.${format}"\r\n` +
        `Content-Type: ${TYPES[format]}\r\n\r\n`;
      const answer = await client.ask(
        {
          method: 'POST',
          url: ADDRESS,
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': `multipart/form-data; boundary=${boundary}`,
          },
          body: [Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)],
        },
        signal,
      );
      const { results } = requireAnswer(answer, 200, Answer);
      return results.flatMap((result) => {
        const type = SIGNALS.find((signalType) => signalType === result.type);
        if (type === undefined) return [];
        return [
          {
            type,
            detected: result.outcome === 'detected',
            issuer: quoteText(result.issuer),
            model: quoteText(result.model),
            at: quoteText(result.generated_at),
            validation: quoteText(result.validation_state),
          },
        ];
      });
    },
  };
}
