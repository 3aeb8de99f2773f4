// Receives a form with a long list: the list goes to its reader as it comes, everything else into fields. Not by @koa/multer,
// which can't hold the connection back while the reader writes to the database.
import { once } from 'node:events';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { CheckError } from '../../../base/errors.js';
import { streamBody } from './receive-body.js';
import type { Context } from '../state.js';
import { show } from '../../../base/shape.js';

/** Bytes of a list: a million addresses of 250 characters. */
export const MAX_LIST_BYTES = 256 * 1_048_576;
const MAX_FIELDS = 20;
const LIMITS = {
  fieldSize: 1024,
  fields: MAX_FIELDS,
  files: 1,
  headerPairs: 20,
  headerSize: 8192,
  fileSize: MAX_LIST_BYTES,
};

/** A form, taken apart. */
export interface ListForm<T> {
  /** What the reader made of the list; null if the form has none. */
  readonly list: T | null;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * Receives a form whose field `file` is a list, and gives the list to `read`; it is never in memory as a whole. Errors:
 * what `read` throws, invalid_request for a body that is no form, ends early, is too large or holds more than one list,
 * ClientDisconnect.
 */
export async function receiveList<T>(
  ctx: Context,
  read: (list: AsyncIterable<Buffer>) => Promise<T>,
): Promise<ListForm<T>> {
  const parser = openParser(ctx);
  const fields: (readonly [string, string])[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const refuse = (message: string): void => stop.abort(new CheckError('invalid_request', message));
  const lists: { stream: BusboyFileStream; reading: Promise<T> }[] = [];
  parser.on('file', (_name: string | undefined, stream: BusboyFileStream) => {
    const reading = read(stream as AsyncIterable<Buffer>);
    // Whatever stops one of the two stops the other.
    reading.catch((error: unknown) => stop.abort(error));
    lists.push({ stream, reading });
  });
  parser.on('field', (name: string | undefined, value: string, _cut: boolean, isTruncated: boolean) => {
    if (isTruncated)
      refuse(
        `the form field '${show(name ?? '')}' has more than 1024 bytes; a list goes into the field 'file'`,
      );
    fields.push([name ?? '', value]);
  });
  parser.on('fieldsLimit', () => refuse(`the form has more than ${MAX_FIELDS} fields`));
  parser.on('filesLimit', () => refuse("the form has more than one field 'file'"));
  parser.on('error', () => refuse('the multipart body is damaged or ends early'));
  const finished = once(parser, 'finish', { signal });
  finished.catch(() => undefined);
  try {
    for await (const chunk of streamBody(ctx, { maxBytes: MAX_LIST_BYTES, refuse: tooLarge })) {
      signal.throwIfAborted();
      if (!parser.write(chunk)) await once(parser, 'drain', { signal });
    }
    parser.end();
    await finished;
    const [list] = lists;
    return { list: list ? await list.reading : null, fields };
  } catch (error) {
    const fault: unknown = signal.aborted ? signal.reason : error;
    for (const { stream, reading } of lists) {
      stream.destroy(fault as Error);
      // It takes back what it wrote.
      await reading.catch(() => undefined);
    }
    throw fault;
  }
}

function tooLarge(): CheckError {
  return new CheckError(
    'invalid_request',
    `the list has more than 256 MB (${MAX_LIST_BYTES} bytes); send it as several scans`,
  );
}

function openParser(ctx: Context): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': ctx.get('content-type') },
      limits: LIMITS,
      isPartAFile: (name) => name === 'file',
    });
  } catch {
    throw new CheckError('invalid_request', 'the content type multipart/form-data lacks its boundary');
  }
}
