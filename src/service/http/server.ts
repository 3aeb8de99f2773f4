// The HTTP server below the application: limits of the protocol, and an orderly stop.
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { CheckError, StartError } from 'telltale-engine/internal/base/errors.js';
import { presentError } from './errors/answer-errors.js';
import { chooseRequestId } from './middleware/access-log.js';

/** Maximum time for the header of a request. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Maximum time for a whole request; the limits of each kind of body are shorter. */
const REQUEST_TIMEOUT_MS = 630_000;
/** Idle time of a connection, longer than the idle time of common load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 65_000;
/** Maximum time for reading the rest of a refused body, so that its sender can read the response. */
const LINGER_MS = 5000;

/** Maximum time during which no byte of a response is received. */
const UNTAKEN_MS = 10_000;

/** A listening server. */
export interface HttpServer {
  /** Address on which it listens. */
  readonly address: AddressInfo;
  /** Stops accepting connections. Resolves after the last response, or after `limitMs` with the others cut off. */
  stop(limitMs: number): Promise<void>;
}

/**
 * Starts to listen. `handle` is the application; tests change `untakenMs`. Rejects with StartError if host and port
 * are unavailable.
 */
export async function listen(
  handle: (req: IncomingMessage, res: ServerResponse) => unknown,
  where: { readonly host: string; readonly port: number; readonly untakenMs?: number },
): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16_384,
    // Node would respond without a body; `serve` responds with the service's error object.
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
    // Middleware, framework and streams listen for its end, which Node would report as a leak.
    res.setMaxListeners(20);
    dropUnreadBody(req, res);
    dropUntakenAnswer(res, where.untakenMs ?? UNTAKEN_MS);
    void handle(req, res);
  };
  server.on('request', serve);
  // The body is requested after the request was admitted: see receiveBody.
  server.on('checkContinue', serve);
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    refuse(res.socket, "Expected no 'Expect' header, or 100-continue");
    req.destroy();
  });
  server.on('clientError', answerParserError);
  server.on('connect', (_req, socket) => refuse(socket, 'the method CONNECT is not served'));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListen(error, where)));
    server.listen(where.port, where.host, resolve);
  });
  return { address: server.address() as AddressInfo, stop: (limitMs) => stop(server, limitMs) };
}

/** Explains an error that the operator can fix, and returns other errors unchanged. */
function explainListen(
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number },
): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is taken; --port or TELLTALE_PORT picks another`,
    EACCES: `port ${port} of ${host} is not for this user; --port or TELLTALE_PORT picks another`,
    EADDRNOTAVAIL: `this machine has no address ${host}; --host or TELLTALE_HOST picks another`,
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
 * Reads and drops the rest of a body after an early response. Node does so only if nothing of the body was read. A
 * connection in the middle of a body serves no further request. A connection that is not kept alive (HTTP/1.0,
 * `Connection: close`) is first closed for writing only, because the system resets a connection that is closed with
 * unread bytes, and a client that still sends would lose the response.
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
    // The next request of a kept connection sets its own handler.
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

/** Closes a connection whose caller stops reading the response. Callers that wait for a response are unaffected. */
function dropUntakenAnswer(res: ServerResponse, untakenMs: number): void {
  res.setTimeout(untakenMs, () => {
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
  ERR_HTTP_REQUEST_TIMEOUT: 'the request came too slowly',
};

/** Responds without the application, if there is no valid request, and closes the connection. */
function refuse(socket: Duplex | null, message: string): void {
  if (!socket?.writable) return;
  const error = new CheckError('invalid_request', message);
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
