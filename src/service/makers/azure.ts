// Connector to Azure AI Content Safety, which detects C2PA manifests and watermarks of Microsoft's image
// generators. Source: https://learn.microsoft.com/azure/ai-services/content-safety and Azure's SDKs for
// 2026-09-01-preview, November 2026.
import { setTimeout as pause } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { MakerFault, quoteText, requireAnswer, Text, type Connector } from './connector.js';

const VERSION = '2026-09-01-preview';
const FORMATS: readonly string[] = ['jpeg', 'png', 'webp'];
const TIMEOUT_MS = 20_000;
const POLL_MS = 1000;

const Started = Type.Object({ id: Type.Optional(Type.String()) });
const Operation = Type.Object({
  status: Type.String(),
  result: Type.Optional(
    Type.Object({
      outcome: Type.Union([Type.Literal('ProvenanceDetected'), Type.Literal('NoProvenanceDetected')]),
      results: Type.Optional(
        Type.Array(Type.Object({ type: Type.String(), provider: Text, modelName: Text, timestamp: Text }), {
          maxItems: 16,
        }),
      ),
    }),
  ),
});
/** Azure's names of signals. A Map, not an object: a response could contain a name such as `constructor`. */
const SIGNALS: ReadonlyMap<string, 'c2pa' | 'watermark'> = new Map([
  ['C2PA', 'c2pa'],
  ['Watermark', 'watermark'],
]);

/** Access to the operator's Azure resource. */
interface AzureSetting {
  /** Address of the resource, such as `https://NAME.cognitiveservices.azure.com`. */
  readonly url: string;
  readonly key: string;
}

/**
 * Creates the connector. Azure accepts only an address and fetches the image itself, so the connector refuses
 * uploaded images.
 */
export function createAzure({ url, key }: AzureSetting): Connector {
  const addressOf = (path: string): URL =>
    new URL(`/contentsafety/provenance${path}?api-version=${VERSION}`, url);
  const headers = { 'ocp-apim-subscription-key': key };
  return {
    name: 'azure',
    title: 'Azure AI Content Safety',
    timeoutMs: TIMEOUT_MS,
    refuse(image) {
      if (image.url === null || !/^https:/i.test(image.url)) return 'needs_url';
      return FORMATS.includes(image.format) ? null : 'unsupported_format';
    },
    async ask(image, client, signal) {
      const body = [Buffer.from(JSON.stringify({ content: { uri: image.url } }))];
      const started = await client.ask(
        {
          method: 'POST',
          url: addressOf(':detect'),
          headers: { ...headers, 'content-type': 'application/json' },
          body,
        },
        signal,
      );
      const { id = lastPart(started.headers['operation-location']) } = requireAnswer(started, 202, Started);
      // Builds the address from the identifier, because the host in the response header is not trusted.
      if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw new MakerFault('invalid_answer');
      for (;;) {
        const polled = await client.ask(
          { method: 'GET', url: addressOf(`/operations/${id}`), headers },
          signal,
        );
        const { status, result } = requireAnswer(polled, 200, Operation);
        if (status === 'Succeeded' && result) return readResults(result.results ?? []);
        if (status !== 'NotStarted' && status !== 'Running') throw new MakerFault('failed');
        await pause(POLL_MS, undefined, { signal });
      }
    },
  };
}

/**
 * Returns one entry per known signal. Azure lists only detected signals; others are added as not detected.
 */
function readResults(
  results: readonly {
    readonly type: string;
    readonly provider?: string | null;
    readonly modelName?: string | null;
    readonly timestamp?: string | null;
  }[],
) {
  const signals = results.flatMap(({ type, provider, modelName, timestamp }) => {
    const signalType = SIGNALS.get(type);
    if (signalType === undefined) return [];
    const about = { issuer: quoteText(provider), model: quoteText(modelName), at: quoteText(timestamp) };
    return [{ type: signalType, detected: true, ...about, validation: null }];
  });
  const nothing = { detected: false, issuer: null, model: null, at: null, validation: null };
  const missing = [...SIGNALS.values()].filter((type) => !signals.some((one) => one.type === type));
  return [...signals, ...missing.map((type) => ({ type, ...nothing }))];
}

function lastPart(address: string | undefined): string {
  return address === undefined || !URL.canParse(address)
    ? ''
    : (new URL(address).pathname.split('/').at(-1) ?? '');
}
