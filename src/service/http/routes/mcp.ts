// Route POST /mcp: the Model Context Protocol (MCP) over HTTP, for AI assistants with an API key, without sessions or
// streams, for every revision of the protocol.
import { performance } from 'node:perf_hooks';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { aboutParam, CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { MAX_IMAGE_BYTES } from 'telltale-engine/internal/base/limits.js';
import { show } from 'telltale-engine/internal/base/shape.js';
import { createAccountTools } from '../../mcp/account-tools.js';
import { Base64Decoder } from '../body/base64.js';
import { imageTooLarge } from '../body/image-input.js';
import { JsonBodyReader, type JsonBody } from '../body/json-body.js';
import { announcedBytes, contentType, receiveBody } from '../body/receive-body.js';
import { disconnectSignal } from '../errors/answer-errors.js';
import type { RunDeps } from '../checks/run-checks.js';
import { sendJson, type Context, type Next } from '../state.js';
import {
  createMcpHandler,
  isLegacyRequest,
  localhostAllowedOrigins,
  validateOriginHeader,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { createMcpServer, type Tools } from '../../mcp/server.js';

/** Name of the tool argument that has the image. */
const IMAGE = 'base64';
/** Maximum bytes of a message in addition to its image. */
const FRAME_BYTES = 131_072;

/** Creates middleware that refuses requests from web pages of other origins. Throws CheckError forbidden. */
export function refuseForeignPages(publicUrl: string | null): (ctx: Context, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const origin = ctx.get('origin');
    if (origin !== '' && !isOwnOrigin(origin, publicUrl))
      throw new CheckError(
        'forbidden',
        `Expected no Origin header, or ${publicUrl ?? 'one of this machine'}, but received '${show(origin)}'; TELLTALE_PUBLIC_URL names the service's own`,
      );
    await next();
  };
}

/**
 * Handles POST /mcp: one JSON-RPC message and one response. Requires `authenticate` and `admit`. Throws
 * CheckError unsupported_media_type, invalid_request, image_too_large. Errors of a tool are in its result.
 */
export function postMcp(deps: RunDeps): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const body = await ctx.state.stages.time('receive', () => receiveMessage(ctx));
    const tools = createAccountTools({ ctx, deps, decode: body.decode, receivedMs: performance.now() });
    const headers = Object.fromEntries(
      Object.keys(ctx.headers)
        .filter((name) => name.startsWith('mcp-'))
        .map((name) => [name, ctx.get(name)]),
    );
    const answer = await answerMessage(tools, { headers, value: requireMessage(body.value) });
    disconnectSignal(ctx).throwIfAborted();
    if (answer.status >= 500) ctx.state.log.error({ err: answer.fault }, 'the protocol failed');
    if (answer.status >= 400)
      ctx.state.errorCode = answer.status >= 500 ? 'internal_error' : 'invalid_request';
    ctx.status = answer.status;
    sendJson(ctx, answer.body);
  };
}

async function receiveMessage(ctx: Context): Promise<JsonBody> {
  if (contentType(ctx) !== 'application/json')
    throw new CheckError(
      'unsupported_media_type',
      `Expected the content type application/json but received '${ctx.get('content-type').slice(0, 100)}'`,
    );
  const reader = new JsonBodyReader({
    member: IMAGE,
    newDecoder: (readBytes) => {
      const expectedBytes = Math.ceil(((announcedBytes(ctx) - readBytes) * 3) / 4);
      return new Base64Decoder(new ByteCollector(MAX_IMAGE_BYTES, expectedBytes), imageTooLarge, IMAGE);
    },
    maxImages: 1,
    refuseMore: () => invalidRequest(`Expected one image in '${IMAGE}' but received 2 or more`),
  });
  const maxBytes = Math.ceil(MAX_IMAGE_BYTES / 3) * 4 + FRAME_BYTES;
  const refuse = (): CheckError => aboutParam(imageTooLarge(), IMAGE);
  await receiveBody(ctx, { maxBytes, refuse }, (chunk) => reader.write(chunk));
  return reader.finish();
}

function requireMessage(value: unknown): object {
  // A batch of messages is refused, because it would count as only one request. The protocol dropped batches
  // in revision 2025-06-18.
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalidRequest(
    `Expected one JSON-RPC message, an object, but received ${Array.isArray(value) ? 'a list' : 'another value'}`,
  );
}

/** A received message: the protocol's HTTP headers, and the parsed JSON. */
interface McpMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: object;
}

/** A response. `fault` is an error of the protocol's library, for the log. */
interface McpAnswer {
  readonly status: number;
  /** JSON text, or an empty string in response to a notification. */
  readonly body: string;
  readonly fault: Error | null;
}

/**
 * Responds to a message with the tools of one caller. From revision 2026-07-28 on, each message names its
 * revision of the protocol. Earlier revisions are served without a session, which they allow.
 */
async function answerMessage(tools: Tools, { headers, value }: McpMessage): Promise<McpAnswer> {
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
function isOwnOrigin(origin: string, publicUrl: string | null): boolean {
  const hosts = publicUrl === null ? localhostAllowedOrigins() : [new URL(publicUrl).hostname];
  return validateOriginHeader(origin, hosts).ok;
}
