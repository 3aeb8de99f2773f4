// Parses multipart/form-data while it arrives, for checks, the console and lists of scans. @koa/multer
// parses; this file adds limits and errors.
import { once } from 'node:events';
import { finished, Readable, type Writable } from 'node:stream';
import multer from '@koa/multer';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { PieceCollector } from 'telltale-engine/internal/base/bytes.js';
import { FormParts, type PartRules } from './form-parts.js';
import { receiveBody, streamBody, type BodyLimit } from './receive-body.js';
import type { Context } from '../state.js';

const DAMAGED = 'the multipart body is damaged or ends early';

/**
 * Receives a form. Rejects with CheckError invalid_request if the body is malformed or truncated or has too
 * many fields. Rejects with the error of `limit`, the error for too many images, or ClientDisconnect.
 */
export async function receiveForm(
  ctx: Context,
  limit: BodyLimit,
  rules: PartRules,
): Promise<Pick<FormParts, 'images' | 'fileNames' | 'fields'>> {
  const parts = new FormParts(rules);
  // The parser treats an image without a file name as a field. Only `limit` bounds the size of such a field.
  const { parser, end, close } = openParser(ctx, parts, Infinity);
  const pieces = new PieceCollector((piece) => parser.write(piece));
  try {
    await receiveBody(ctx, limit, (chunk) => {
      pieces.append(chunk);
      parts.signal.throwIfAborted();
    });
    pieces.flush();
    if (!(await end())) parts.refuse(DAMAGED);
    parts.signal.throwIfAborted();
    return parts;
  } finally {
    close();
  }
}

/** Maximum bytes of a scan's list. Enough for a million addresses of 250 characters. */
const MAX_LIST_BYTES = 256 * 1_048_576;
/** Maximum bytes of a list that was sent without a file name. The parser holds such a list in memory. */
const MAX_NAMELESS_BYTES = 4 * 1_048_576;

/** A form with a list: the result of the list's reader (null without a list), and the other fields. */
interface ListForm<T> extends Pick<FormParts, 'fields'> {
  readonly list: T | null;
}

/**
 * Receives a form whose field `file` is a list, and passes the list to `read` as a stream. A slow `read`
 * slows the sender. Rejects with the errors of `read`, with invalid_request if the body is malformed,
 * truncated or too large or has several lists, or with ClientDisconnect.
 */
export async function receiveList<T>(
  ctx: Context,
  read: (list: AsyncIterable<Buffer>) => Promise<T>,
): Promise<ListForm<T>> {
  const parts = new ListParts(read);
  const { parser, end, close } = openParser(ctx, parts, MAX_NAMELESS_BYTES);
  try {
    for await (const chunk of streamBody(ctx, { maxBytes: MAX_LIST_BYTES, refuse: listTooLarge })) {
      parts.signal.throwIfAborted();
      if (!parser.write(chunk)) await once(parser, 'drain', { signal: parts.signal });
    }
    const isWhole = await end();
    const list = await parts.list;
    if (!isWhole) parts.refuse(DAMAGED);
    parts.signal.throwIfAborted();
    return { list, fields: parts.fields };
  } catch (error) {
    const fault: unknown = parts.signal.aborted ? parts.signal.reason : error;
    await parts.giveUp(fault as Error);
    throw fault;
  } finally {
    close();
  }
}

/** Collects the fields of a form and passes its list to a reader. */
class ListParts<T> extends FormParts {
  readonly #read: (list: AsyncIterable<Buffer>) => Promise<T>;
  #stream: Readable | null = null;
  /** Result of the list's reader, or null without a list. */
  list: Promise<T> | null = null;

  constructor(read: (list: AsyncIterable<Buffer>) => Promise<T>) {
    super({ imageName: 'file', maxImages: 0, refuseMore: listTooLarge, expectedBytes: 0 });
    this.#read = read;
  }

  override addStream(name: string | undefined, stream: Readable, fileName: string | null): void {
    if (name === 'file') this.#begin(stream);
    else super.addStream(name, stream, fileName);
  }

  override addBytes(name: string | undefined, bytes: Buffer): void {
    if (name !== 'file') super.addBytes(name, bytes);
    else if (bytes.byteLength <= MAX_NAMELESS_BYTES) this.#begin(Readable.from([bytes]));
    else
      this.refuse(
        "the list comes without a file name and has more than 4 MB; send the field 'file' as a file",
        'file',
      );
  }

  /** Stops the list's reader and waits until it has rolled back. */
  async giveUp(fault: Error): Promise<void> {
    this.#stream?.destroy(fault);
    await this.list?.catch(() => undefined);
  }

  #begin(stream: Readable): void {
    if (this.list) {
      this.refuse("the form has more than one field 'file'", 'file');
      stream.resume();
      return;
    }
    this.#stream = stream;
    this.list = this.#read(wholeList(stream));
    // An error of the reader becomes the error of the form.
    this.list.catch((error: unknown) => this.refuse(error));
  }
}

/** Yields a list. Reports a truncated stream as an error of the form. */
async function* wholeList(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    throw new CheckError('invalid_request', DAMAGED);
  }
}

function listTooLarge(): CheckError {
  return new CheckError(
    'invalid_request',
    `the list has more than 256 MB (${MAX_LIST_BYTES} bytes); send it as several scans`,
  );
}

/**
 * Parser to which this file passes the chunks. Multer itself would read a refused body to its end before
 * reporting the error.
 */
interface FormParser {
  readonly parser: Writable;
  /** Ends the body. Resolves when all parts are stored, with false if multer found an error. */
  readonly end: () => Promise<boolean>;
  readonly close: () => void;
}

/** Creates the parser. Throws CheckError invalid_request if the content type lacks a boundary. */
function openParser(ctx: Context, parts: FormParts, fieldBytes: number): FormParser {
  const body = Object.assign(new Readable({ read: () => undefined }), { headers: ctx.req.headers });
  const opened: { parser: Writable | null } = { parser: null };
  const form = multer({
    storage: {
      _handleFile(_body, { fieldname, stream, originalname }, done) {
        finished(stream, done);
        parts.addStream(fieldname, stream, originalname);
      },
      // There is nothing to remove, because no file was written to disk.
      _removeFile(_body, _file, done) {
        done(null);
      },
    },
    limits: { fieldSize: fieldBytes, headerPairs: 20 },
    // latin1 preserves the bytes of a value.
    defCharset: 'latin1',
    defParamCharset: 'utf8',
    preservePath: true,
    streamHandler: (_body, parser) => {
      opened.parser = parser;
      watch(parser, parts);
    },
  });
  const parsed = form
    .any()({ req: body }, () => undefined)
    .then(
      () => true,
      () => false,
    );
  const { parser } = opened;
  if (!parser)
    throw new CheckError('invalid_request', 'the content type multipart/form-data lacks its boundary');
  return {
    parser,
    end() {
      parser.end();
      body.push(null);
      return parsed;
    },
    close: () => void body.destroy(),
  };
}

/**
 * Adds parts that multer omits or changes: streams without a name, and fields, whose names multer treats as
 * paths.
 */
function watch(parser: Writable, parts: FormParts): void {
  parser.on('file', (name: string | undefined, stream: Readable, { filename }: { filename?: string }) => {
    if (!filename || name === undefined) parts.addStream(name, stream, null);
  });
  parser.on('field', (name: string | undefined, value: string) =>
    parts.addBytes(name, Buffer.from(value, 'latin1')),
  );
  parser.on('error', () => parts.refuse(DAMAGED));
}
