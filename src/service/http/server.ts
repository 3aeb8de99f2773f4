// HTTP server below the application: protocol limits, error responses to invalid HTTP, and a graceful stop.
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { invalidRequest, StartError } from 'telltale-engine/internal/base/errors.js';
import { presentError } from './errors/answer-errors.js';
import { chooseRequestId } from './middleware/access-log.js';

/** Maximum time for receiving the headers of a request. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Maximum time for receiving a whole request. Each kind of body has a shorter limit. */
const REQUEST_TIMEOUT_MS = 630_000;
/** Milliseconds until an idle connection closes. Longer than 60 s, so that load balancers close first. */
const KEEP_ALIVE_MS = 65_000;
/** Maximum time for reading the rest of a refused body, so that its sender can read the response. */
const LINGER_MS = 5000;

/** Milliseconds after which a connection is closed if the caller reads none of the response. */
const UNREAD_RESPONSE_MS = 10_000;

/** A listening server. */
export interface HttpServer {
  /** Address on which the server listens. */
  readonly address: AddressInfo;
  /** Stops accepting connections. Resolves after the last response; cuts off responses after `limitMs`. */
  stop(limitMs: number): Promise<void>;
}

/**
 * Starts the server. `handle` is the application; tests change `unreadMs`. Rejects with StartError if host
 * or port is unavailable.
 */
export async function listen(
  handle: (req: IncomingMessage, res: ServerResponse) => unknown,
  options: { readonly host: string; readonly port: number; readonly unreadMs?: number },
): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16_384,
    // Node's own response has no body; `serve` responds with the service's error object.
    requireHostHeader: false,
  });
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    if (req.headers.host === undefined && req.httpVersion === '1.1') {
      refuse(req.socket, "Expected a 'Host' header but received none");
      return;
    }
    const hosts = req.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
    if (hosts.length > 1) {
      refuse(req.socket, `Expected one 'Host' header but received ${hosts.length}`);
      return;
    }
    // Middleware, framework and streams all listen for the response's end. Node would report a leak.
    res.setMaxListeners(20);
    dropUnreadBody(req, res);
    dropUnreadResponse(res, options.unreadMs ?? UNREAD_RESPONSE_MS);
    void handle(req, res);
  };
  server.on('request', serve);
  // For `Expect: 100-continue`: `receiveBody` requests the body after the request was admitted.
  server.on('checkContinue', serve);
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    refuse(res.socket, "Expected no 'Expect' header, or 100-continue");
    req.destroy();
  });
  server.on('clientError', answerParserError);
  server.on('connect', (_req, socket) => refuse(socket, 'the method CONNECT is not served'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  return { address: server.address() as AddressInfo, stop: (limitMs) => stop(server, limitMs) };
}

/** Explains an error that the operator can fix. Returns other errors unchanged. */
function explainListenError(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use. Choose another port with --port or TELLTALE_PORT`,
    EACCES: `this user may not listen on port ${port} of ${host}. Choose another port with --port or TELLTALE_PORT`,
    EADDRNOTAVAIL: `this machine has no address ${host}. Choose another address with --host or TELLTALE_HOST`,
  };
  const reason = reasons[error.code ?? ''];
  return reason === undefined ? error : new StartError('config_invalid', reason, { cause: error });
}

function stop(server: Server, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), limitMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/**
 * Reads and drops the rest of a body after an early response. Node does so only if nothing of the body was
 * read. A connection in the middle of a body is not reused. If the connection is to be closed (HTTP/1.0,
 * `Connection: close`), it is first closed only for writing. The system resets a connection that is closed
 * with unread bytes, and a client that is still sending would lose the response.
 */
function dropUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  const closeWhole = socket.destroySoon.bind(socket);
  let isClosing = false;
  socket.destroySoon = () => {
    isClosing = !req.complete;
    if (isClosing) socket.end();
    else closeWhole();
  };
  res.once('close', () => {
    // Restores the method. On a reused connection, the next request replaces it again.
    if (!isClosing) socket.destroySoon = closeWhole;
  });
  res.once('finish', () => {
    if (req.complete) return;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    const settle = (): void => {
      clearTimeout(timer);
      req.off('end', settle).off('close', settle);
      if (isClosing) closeWhole();
    };
    req.on('end', settle).on('close', settle).resume();
  });
}

/** Closes a connection whose caller stops reading the response, but not while a caller waits for one. */
function dropUnreadResponse(res: ServerResponse, unreadMs: number): void {
  res.setTimeout(unreadMs, () => {
    if (res.writableLength > 0) res.destroy();
  });
}

function answerParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(socket, PARSER_MESSAGES[error.code ?? ''] ?? 'the request is not valid HTTP/1.1');
}

const PARSER_MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the header of the request has more than 16,384 bytes',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request arrived too slowly',
};

/** Sends an error for a request that is not valid HTTP, without the application. Closes the connection. */
function refuse(socket: Duplex | null, message: string): void {
  if (!socket?.writable) return;
  const error = invalidRequest(message);
  const requestId = chooseRequestId('');
  const body = JSON.stringify(presentError(error, { requestId }));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
