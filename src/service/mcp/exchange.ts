// One message of the Model Context Protocol over streamable HTTP and its answer: no session, no stream, every revision.
import {
  createMcpHandler,
  isLegacyRequest,
  localhostAllowedOrigins,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createMcpServer, type Tools } from './server.js';

/** What came: its headers that concern the protocol, and its JSON. */
export interface McpMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: object;
}

/** What is answered; `fault` is a failure of the protocol's library. */
export interface McpAnswer {
  readonly status: number;
  /** JSON; empty for a notification. */
  readonly body: string;
  readonly fault: Error | null;
}

/**
 * Answers with the tools of one caller. Revisions from 2026-07-28 on name themselves in each message; earlier ones are
 * served without a session, which they leave to the server.
 */
export async function answerMessage(tools: Tools, { headers, value }: McpMessage): Promise<McpAnswer> {
  // The answer is one JSON text, whatever the caller accepts: there is nothing to stream.
  const accept = 'application/json, text/event-stream';
  const request = new Request('http://telltale/mcp', {
    method: 'POST',
    headers: { ...headers, accept, 'content-type': 'application/json' },
  });
  let fault: Error | null = null;
  const response = (await isLegacyRequest(request, value))
    ? await answerEarlier(tools, request, value)
    : await createMcpHandler(() => createMcpServer(tools), {
        legacy: 'reject',
        // A stream of changes would hold its permit for ever, and nothing of the server changes.
        maxSubscriptions: 0,
        onerror: (error) => (fault = error),
      }).fetch(request, { parsedBody: value });
  return { status: response.status, body: await response.text(), fault };
}

async function answerEarlier(tools: Tools, request: Request, parsedBody: object): Promise<Response> {
  const server = createMcpServer(tools);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody });
  } finally {
    await server.close();
  }
}

/**
 * Whether a page of `origin` may ask: one of `publicUrl`, or of this machine where that is null. Never by the request's own
 * `Host`, which a page that rebinds its name to this address chooses. Source: the protocol's transports, security warning.
 */
export function isOwnOrigin(origin: string, publicUrl: string | null): boolean {
  const hosts = publicUrl === null ? localhostAllowedOrigins() : [new URL(publicUrl).hostname];
  return validateOriginHeader(origin, hosts).ok;
}
