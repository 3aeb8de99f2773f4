// Takes a multipart/form-data body apart as it comes: @koa/multer parses, what it does not guarantee stands around it.
import multer, { type Parser, type StorageEngine } from '@koa/multer';
import { CheckError } from '../../../base/errors.js';
import { FormBody } from './form-body.js';
import { FormParts, type PartRules } from './form-parts.js';
import { receiveBody, type BodyLimit } from './receive-body.js';
import type { Context } from '../state.js';

const DAMAGED = 'the multipart body is damaged or ends early';

/**
 * Receives a form. Rejects with CheckError invalid_request for a body that is no form, ends early or holds more fields
 * than there are options. Or with the refusal of the limit or of too many pictures, or with ClientDisconnect.
 */
export async function receiveForm(ctx: Context, limit: BodyLimit, rules: PartRules): Promise<FormParts> {
  const parts = new FormParts(rules);
  // Given the connection itself, the middleware would read a refused body to its end before it says so.
  const body = new FormBody(ctx.req.headers);
  try {
    const parsed = startParser(body, parts);
    await receiveBody(ctx, limit, (chunk) => {
      body.append(chunk);
      parts.requireSound();
    });
    body.finish();
    await parsed;
    parts.requireSound();
    return parts;
  } finally {
    body.destroy();
  }
}

/** Resolves when all parts are kept, or a fault is. Throws CheckError invalid_request if the body can have no parts. */
function startParser(body: FormBody, parts: FormParts): Promise<void> {
  const parsing = { isStarted: false };
  const form = multer({
    storage: storeInto(parts),
    // A picture without a file name is a field to the parser. The body's limit bounds it; latin1 keeps its bytes.
    limits: { fieldSize: Infinity, headerPairs: 20 },
    defCharset: 'latin1',
    defParamCharset: 'utf8',
    preservePath: true,
    streamHandler: (source, parser) => {
      parsing.isStarted = true;
      watch(parser, parts);
      source.pipe(parser);
    },
  });
  const parsed = form.any()({ req: body }, () => undefined);
  const settled = parsed.then(
    () => undefined,
    () => parts.refuse(DAMAGED),
  );
  if (!parsing.isStarted)
    throw new CheckError('invalid_request', 'the content type multipart/form-data lacks its boundary');
  return settled;
}

/** The storage engine: parts with a file name. Nothing is on a disk, so that nothing is to be removed. */
function storeInto(parts: FormParts): StorageEngine {
  return {
    _handleFile(_body, { fieldname, stream, originalname }, done) {
      stream.on('end', () => done(null)).on('error', done);
      parts.addStream(fieldname, stream, originalname);
    },
    _removeFile(_body, _file, done) {
      done(null);
    },
  };
}

/** What the middleware leaves out or bends: streams without a name, and fields, whose names it takes for paths. */
function watch(parser: Parser, parts: FormParts): void {
  parser.on('file', (name, stream, { filename }) => {
    if (!filename || name === undefined) parts.addStream(name, stream);
  });
  parser.on('field', (name, value) => parts.addBytes(name, Buffer.from(value, 'latin1')));
  parser.on('error', () => parts.refuse(DAMAGED));
}
