// Takes a multipart/form-data body apart as it comes: pictures into memory, everything else into fields.
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { MAX_IMAGE_BYTES } from '../check/limits.js';
import { CheckError } from '../errors.js';
import { ByteCollector } from './byte-collector.js';
import { receiveBody, type BodyLimit } from './receive-body.js';
import type { Context } from './state.js';

/** A body, taken apart. */
export interface Form {
  /** In the order of the body; of a file that is too large, one byte more than is allowed. */
  readonly files: readonly Buffer[];
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** What is expected of a form. */
export interface FormOptions {
  /** Name of the parts that are pictures, with a file name or without. */
  readonly fileName: string;
  readonly limit: BodyLimit;
  /** Size of a picture, where it is known. */
  readonly expectedBytes: number | undefined;
}

/** Bounds on what a form holds beside pictures. */
const MAX_FIELDS = 20;
const MAX_FILE_BYTES = MAX_IMAGE_BYTES + 1;
const LIMITS = {
  fieldSize: 1024,
  fields: MAX_FIELDS,
  headerPairs: 20,
  headerSize: 8192,
  fileSize: MAX_FILE_BYTES,
};

/**
 * Receives a form. Rejects with CheckError
 * invalid_request for a body that is no form, ends early or holds more fields than there are options, with the limit's
 * refusal, or with CallerGone.
 */
export async function receiveForm(ctx: Context, options: FormOptions): Promise<Form> {
  const { fileName, limit, expectedBytes } = options;
  const parser = openParser(ctx, fileName);
  const files: ByteCollector[] = [];
  const fields: (readonly [string, string])[] = [];
  const state: { fault: CheckError | null } = { fault: null };
  const refuse = (message: string): void => {
    state.fault ??= new CheckError('invalid_request', message);
  };
  const finished = new Promise<void>((resolve) => {
    const fail = (): void => {
      refuse('the multipart body is damaged or ends early');
      resolve();
    };
    parser.on('file', (_name: string | undefined, stream: BusboyFileStream) => {
      const file = new ByteCollector(MAX_FILE_BYTES, expectedBytes);
      files.push(file);
      stream.on('data', (chunk: Buffer) => file.append(chunk));
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
    if (state.fault) throw state.fault;
  });
  parser.end();
  await finished;
  if (state.fault) throw state.fault;
  return { files: files.map((file) => file.view()), fields };
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
