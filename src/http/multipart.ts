// Takes a multipart/form-data body apart as it comes: pictures into memory, everything else into fields.
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { MAX_IMAGE_BYTES } from '../check/limits.js';
import { CheckError } from '../errors.js';
import { receiveBody, type BodyLimit } from './receive-body.js';
import type { Context } from './state.js';

/** A part with a picture. */
export interface FilePart {
  /** At most one byte more than is allowed: the rest of a larger file is dropped as it comes. */
  readonly bytes: Buffer;
}

/** A body, taken apart. */
export interface Form {
  /** In the order of the body. */
  readonly files: readonly FilePart[];
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Bounds on what a form holds beside pictures. */
const MAX_FIELDS = 20;
const LIMITS = {
  fieldSize: 1024,
  fields: MAX_FIELDS,
  headerPairs: 20,
  headerSize: 8192,
  fileSize: MAX_IMAGE_BYTES + 1,
};

/**
 * Receives a form whose pictures are parts named `fileName`, with a file name or without. Rejects with CheckError
 * invalid_request for a body that is no form, ends early or holds more fields than there are options, with the limit's
 * refusal, or with CallerGone.
 */
export async function receiveForm(ctx: Context, fileName: string, limit: BodyLimit): Promise<Form> {
  const parser = openParser(ctx, fileName);
  const files: FilePart[] = [];
  const fields: (readonly [string, string])[] = [];
  let count = 0;
  let fault: CheckError | null = null;
  const refuse = (message: string): void => {
    fault ??= new CheckError('invalid_request', message);
  };
  const finished = new Promise<void>((resolve) => {
    const fail = (): void => {
      refuse('the multipart body is damaged or ends early');
      resolve();
    };
    parser.on('file', (_name: string | undefined, stream: BusboyFileStream) => {
      const chunks: Buffer[] = [];
      const index = count++;
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => (files[index] = { bytes: Buffer.concat(chunks) }));
      stream.on('error', fail);
    });
    parser.on(
      'field',
      (name: string | undefined, value: string, _isNameTruncated: boolean, isTruncated: boolean) => {
        if (isTruncated) refuse('a form field has more than 1024 bytes');
        fields.push([name ?? '', value]);
      },
    );
    parser.on('fieldsLimit', () => refuse(`the form has more than ${MAX_FIELDS} fields`));
    parser.on('error', fail);
    parser.on('finish', resolve);
  });
  await receiveBody(ctx, limit, (chunk) => {
    parser.write(chunk);
    if (fault) throw fault;
  });
  parser.end();
  await finished;
  if (fault) throw fault as CheckError;
  return { files, fields };
}

function openParser(ctx: Context, fileName: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': ctx.get('content-type') },
      limits: LIMITS,
      isPartAFile: (name) => name === fileName,
    });
  } catch {
    throw new CheckError('invalid_request', 'the content type multipart/form-data lacks its boundary');
  }
}
