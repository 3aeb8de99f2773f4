// Parses multipart/form-data while it arrives, for checks, the console and lists of scans. @koa/multer
// parses; this file adds limits and errors.
import { finished, Readable } from 'node:stream';
import multer from '@koa/multer';
import { type CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
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
  const body = new Readable({ read: () => undefined });
  const parts = new FormParts(rules, body);
  // The parser treats an image without a file name as a field. Only `limit` bounds the size of such a field.
  const parsed = parse(ctx, body, parts, Infinity);
  const pieces = new PieceCollector((piece) => body.push(piece));
  try {
    await receiveBody(ctx, limit, (chunk) => {
      pieces.append(chunk);
      parts.throwFault();
    });
    pieces.flush();
    body.push(null);
  } catch (error) {
    parts.refuse(error as Error);
  }
  await parsed;
  parts.throwFault();
  return parts;
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
  const body = Readable.from(streamBody(ctx, { maxBytes: MAX_LIST_BYTES, refuse: listTooLarge }));
  const parts = new ListParts(read, body);
  await parse(ctx, body, parts, MAX_NAMELESS_BYTES);
  await parts.endList();
  parts.throwFault();
  return { list: await parts.list, fields: parts.fields };
}

/** Collects the fields of a form and passes its list to a reader. */
class ListParts<T> extends FormParts {
  readonly #read: (list: AsyncIterable<Buffer>) => Promise<T>;
  #stream: Readable | null = null;
  /** Result of the list's reader, or null without a list. */
  list: Promise<T> | null = null;

  constructor(read: (list: AsyncIterable<Buffer>) => Promise<T>, body: Readable) {
    super({ imageName: 'file', maxImages: 0, refuseMore: listTooLarge, expectedBytes: 0 }, body);
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

  /** Waits for the list's reader. After an error of the form, stops the reader first, so that it rolls back. */
  async endList(): Promise<void> {
    if (this.fault) this.#stream?.destroy(this.fault);
    // An error of the reader becomes the error of the form.
    await this.list?.catch((error: unknown) => this.refuse(error as Error));
  }

  #begin(stream: Readable): void {
    if (this.list) {
      this.refuse("the form has more than one field 'file'", 'file');
      stream.resume();
      return;
    }
    this.#stream = stream;
    this.list = this.#read(wholeList(stream));
    this.list.catch((error: unknown) => this.refuse(error as Error));
  }
}

/** Yields a list. Reports a truncated stream as an error of the form. */
async function* wholeList(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    throw invalidRequest(DAMAGED);
  }
}

function listTooLarge(): CheckError {
  return invalidRequest(`the list has more than 256 MB (${MAX_LIST_BYTES} bytes); send it as several scans`);
}

/**
 * Parses `body` with the headers of the request. Resolves when all parts are stored, or after an error, which
 * `parts` has then. Throws CheckError invalid_request if the content type lacks a boundary.
 */
function parse(ctx: Context, body: Readable, parts: FormParts, fieldBytes: number): Promise<void> {
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
    // Adds parts that multer omits or changes: streams without a name, and fields, whose names multer treats as paths.
    streamHandler: (_body, parser) => {
      parser.on('file', (name: string | undefined, stream: Readable, { filename }: { filename?: string }) => {
        if (!filename || name === undefined) parts.addStream(name, stream, null);
      });
      parser.on('field', (name: string | undefined, value: string) =>
        parts.addBytes(name, Buffer.from(value, 'latin1')),
      );
      parser.on('error', () => parts.refuse(DAMAGED));
      body.on('error', (error) => parts.refuse(error)).pipe(parser);
    },
  });
  const parsed = form
    .any()({ req: Object.assign(body, { headers: ctx.req.headers }) }, () => undefined)
    .catch(() => parts.refuse(DAMAGED));
  // Multer does not call its `streamHandler` without a boundary.
  if (body.listenerCount('data') === 0)
    throw invalidRequest('the content type multipart/form-data lacks its boundary');
  return parsed as Promise<void>;
}
