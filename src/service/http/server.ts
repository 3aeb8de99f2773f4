// The HTTP server under the application: limits of the protocol itself, and an orderly stop.
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

/** Longest time for the header of a request. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Longest time for a whole request; the limits of each kind of body are shorter. */
const REQUEST_TIMEOUT_MS = 630_000;
/** Longer than the idle time of common load balancers (60 s), so that they close first. */
const KEEP_ALIVE_MS = 65_000;
/** How long the rest of a body that was not wanted is read, so that its sender gets to read the answer. */
const LINGER_MS = 5000;

/** How long an answer may lie without a byte of it being taken. */
const UNTAKEN_MS = 10_000;

/** A listening server. */
export interface HttpServer {
  /** Where it listens. */
  readonly address: AddressInfo;
  /** Takes no more connections; resolves when the last response is out, or after `limitMs` with the rest cut off. */
  stop(limitMs: number): Promise<void>;
}

/**
 * Starts to listen. `handle` is the application; `untakenMs` differs in tests. Rejects with StartError if host and port
 * is unavailable.
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
    // Node would answer without a body; `serve` answers in our shape.
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
    // Each middleware, the framework and a stream listen for its end: more than Node takes for a leak.
    res.setMaxListeners(20);
    dropUnreadBody(req, res);
    dropUntakenAnswer(res, where.untakenMs ?? UNTAKEN_MS);
    void handle(req, res);
  };
  server.on('request', serve);
  // The body is asked for once the request is let in: see receiveBody.
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

/** A fault that the operator can mend is said in a line; any other stays as the system says it. */
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
 * After an early answer the rest of the body is read and dropped, for as long as it may take. Node does so only if
 * nothing of it was read. A connection that stays in the middle of a body answers nothing more. A connection that is
 * not to be kept (HTTP/1.0, `Connection: close`) is first closed in our direction alone. Node would close it whole, and
 * the system resets a connection that is closed with bytes unread. Then its client, still sending, loses the answer.
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
    // The next request of a kept connection brings its own.
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

/** Ends a connection whose caller stops reading the answer; a caller who waits for one is left alone. */
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

/** Answers beside the application, if there is no request to speak of, and closes. */
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
