// Responds to one message of the Model Context Protocol (MCP) over HTTP, without sessions or streams, for
// every revision of the protocol.
import {
  createMcpHandler,
  isLegacyRequest,
  localhostAllowedOrigins,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createMcpServer, type Tools } from './server.js';

/** A received message: the protocol's HTTP headers, and the parsed JSON. */
export interface McpMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: object;
}

/** A response. `fault` is an error of the protocol's library, for the log. */
export interface McpAnswer {
  readonly status: number;
  /** JSON text, or an empty string in response to a notification. */
  readonly body: string;
  readonly fault: Error | null;
}

/**
 * Responds to a message with the tools of one caller. From revision 2026-07-28 on, each message names its
 * revision of the protocol. Earlier revisions are served without a session, which they allow.
 */
export async function answerMessage(tools: Tools, { headers, value }: McpMessage): Promise<McpAnswer> {
  // Always responds with one JSON text, whatever the caller accepts, because there is nothing to stream.
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
        // A subscription would count as a running request forever, and the tools never change.
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
 * Returns whether a web page of `origin` may call: a page of `publicUrl`, or of this machine if `publicUrl`
 * is null. Ignores `Host`, which a page controls by DNS rebinding. Source: the protocol's transports,
 * security warning.
 */
export function isOwnOrigin(origin: string, publicUrl: string | null): boolean {
  const hosts = publicUrl === null ? localhostAllowedOrigins() : [new URL(publicUrl).hostname];
  return validateOriginHeader(origin, hosts).ok;
}
