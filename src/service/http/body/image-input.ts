// Reads the images and options from a request to check images.
import { performance } from 'node:perf_hooks';
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_IMAGES,
  MAX_BATCH_MB,
  MAX_IMAGE_BYTES,
  MAX_IMAGE_MB,
} from 'telltale-engine/internal/base/limits.js';
import { aboutParam, CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { Base64Decoder } from './base64.js';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import {
  readCheckOptions,
  type CheckOptions,
  chooseRefs,
  splitRefs,
  type SplitFields,
} from '../checks/check-options.js';
import { contentType, announcedBytes, receiveBody, type BodyLimit } from './receive-body.js';
import { parseImageUrl } from '../../outbound/fetch-image.js';
import { JsonBodyReader, type JsonBody } from './json-body.js';
import { receiveForm } from './multipart.js';
import { OPTIONS } from '../openapi/option-schemas.js';
import { BatchJson, CheckJson } from '../openapi/schemas.js';
import type { Context } from '../state.js';
import { collectFields, requireValid } from './small-input.js';
import { nameOfAddress, nameOfFile } from '../../../accounts/history/image-name.js';

/** Maximum bytes of a body in addition to images: boundaries, part headers, options and addresses. */
const FRAME_BYTES = 131_072;

/** An image as the request contains it. */
export type ImageSource =
  | {
      readonly kind: 'bytes';
      readonly bytes: Buffer;
      /** File name in the form, or null. */
      readonly fileName: string | null;
    }
  | { readonly kind: 'url'; readonly url: string }
  /** An error of only this image. In a batch, the response has the error in the image's entry. */
  | { readonly kind: 'refused'; readonly error: CheckError };

/** A parsed request to check images. */
export interface ImageInput {
  /** Images in the order of the request, at least one. */
  readonly images: readonly ImageSource[];
  readonly options: CheckOptions;
  /** Name of each image's field or parameter, for error messages. */
  readonly params: readonly string[];
  /** Caller's own reference for each image, or null. */
  readonly refs: readonly (string | null)[];
  /** Time when the last byte arrived, by `performance.now()`. */
  readonly receivedMs: number;
}

/** Kind of request: a single image, or a batch of one to eight. */
type InputForm = 'single' | 'batch';

/**
 * Receives and parses the body. Throws CheckError unsupported_media_type, invalid_request, invalid_batch,
 * batch_too_large. For a single image also throws image_too_large, invalid_base64, invalid_url.
 */
export async function readImageInput(ctx: Context, form: InputForm): Promise<ImageInput> {
  const query = splitRefs([...new URLSearchParams(ctx.querystring)]);
  // Validated before the body arrives, because errors in the query do not depend on the body.
  readCheckOptions({ 'the query': query.otherFields });
  const type = contentType(ctx);
  if (type === 'multipart/form-data') return readForm(ctx, form, query);
  if (type === 'application/json') return readJson(ctx, form, query);
  throw new CheckError(
    'unsupported_media_type',
    `Expected the content type multipart/form-data or application/json but received '${ctx.get('content-type').slice(0, 100)}'`,
  );
}

async function readForm(ctx: Context, form: InputForm, query: SplitFields): Promise<ImageInput> {
  const name = form === 'single' ? 'file' : 'files';
  const {
    images: files,
    fileNames,
    fields,
  } = await receiveForm(ctx, limitOf(form, name, 1), {
    imageName: name,
    fieldNames: [...Object.keys(OPTIONS), 'ref'],
    maxImages: mostImages(form),
    refuseMore: () => wrongCount(form, 'more'),
    expectedBytes: expectedOf(ctx, form, 1),
  });
  const receivedMs = performance.now();
  const formRefs = splitRefs(fields);
  const options = readCheckOptions({ 'the query': query.otherFields, 'the form': formRefs.otherFields });
  const images = files.map((bytes, at) =>
    bytes.byteLength > 0 ? admitFile(bytes, fileNames[at] ?? null, name) : refused(emptyFile(name)),
  );
  const refs = chooseRefs(
    { 'the query': query.refs, 'the form': formRefs.refs },
    requireCount(images, form).length,
  );
  const params = images.map((_, index) => (form === 'single' ? name : `${name}.${index}`));
  return { images, params, options, refs, receivedMs };
}

async function readJson(ctx: Context, form: InputForm, query: SplitFields): Promise<ImageInput> {
  const reader = new JsonBodyReader({
    newDecoder: (readBytes) => {
      const bytes = new ByteCollector(MAX_IMAGE_BYTES, expectedOf(ctx, form, 4 / 3, readBytes));
      return new Base64Decoder(bytes, imageTooLarge);
    },
    maxImages: mostImages(form),
    refuseMore: () => moreMembers(form),
  });
  await receiveBody(ctx, limitOf(form, 'image_b64', 4 / 3), (chunk) => reader.write(chunk));
  const receivedMs = performance.now();
  const body = reader.finish();
  const { items, options } = form === 'single' ? readSingle(body) : readBatch(body);
  const checkOptions = readCheckOptions({ 'the query': query.otherFields, 'the JSON body': options });
  const itemImages = requireCount(
    items.map((item, index) => requireOneImage(item, form, index)),
    form,
  );
  const images = itemImages.map((itemImage) => readItemImage(itemImage, body));
  const refs = chooseRefs(
    { 'the query': query.refs, 'the JSON body': items.map(({ ref }) => ref) },
    images.length,
  );
  const totalBytes = images.reduce(
    (sum, image) => sum + (image.kind === 'bytes' ? image.bytes.byteLength : 0),
    0,
  );
  if (totalBytes > MAX_BATCH_BYTES) throw batchTooLarge(totalBytes);
  const params = itemImages.map((itemImage, index) =>
    nameOf(form, index, `image_${itemImage.kind === 'url' ? 'url' : 'b64'}`),
  );
  return { images, params, options: checkOptions, refs, receivedMs };
}

/**
 * Receives a form with one file in the field `file` and texts in the fields `fieldNames`. Throws CheckError
 * invalid_request, image_too_large.
 */
export async function receiveFile(
  ctx: Context,
  fieldNames: readonly string[],
): Promise<{ readonly file: Buffer; readonly fields: Record<string, unknown> }> {
  if (contentType(ctx) !== 'multipart/form-data')
    throw new CheckError(
      'unsupported_media_type',
      `Expected the content type multipart/form-data but received '${ctx.get('content-type').slice(0, 100)}'`,
    );
  const { images, fields } = await receiveForm(ctx, limitOf('single', 'file', 1), {
    imageName: 'file',
    fieldNames,
    maxImages: 1,
    refuseMore: () => wrongCount('single', 'more'),
    expectedBytes: expectedOf(ctx, 'single', 1),
  });
  const [file] = images;
  if (!file) throw wrongCount('single', 'no image');
  if (file.byteLength === 0) throw aboutParam(emptyFile('file'), 'file');
  if (file.byteLength > MAX_IMAGE_BYTES) throw aboutParam(imageTooLarge(), 'file');
  return { file, fields: collectFields(fields) };
}

interface Item {
  readonly image_url?: string;
  readonly image_b64?: string;
  readonly ref?: string;
}

/** Origin of an item's image: an address, or the placeholder that replaces its base64 text. */
type ItemImage =
  { readonly kind: 'url'; readonly url: string } | { readonly kind: 'base64'; readonly placeholder: string };

function readSingle(body: JsonBody): { items: readonly Item[]; options: object } {
  const { image_url, image_b64, ref, ...options } = requireValid(CheckJson, body.value, 'the JSON body');
  const item = {
    ...(image_url !== undefined && { image_url }),
    ...(image_b64 !== undefined && { image_b64 }),
    ...(ref !== undefined && { ref }),
  };
  return { items: [item], options };
}

function readBatch(body: JsonBody): { items: readonly Item[]; options: object } {
  const { images, ...options } = requireValid(BatchJson, body.value, 'the JSON body');
  return { items: images, options };
}

/** Returns the name of an image's field for error messages. */
function nameOf(form: InputForm, index: number, member: string): string {
  return form === 'single' ? member : `images.${index}.${member}`;
}

function requireOneImage(
  { image_url: url, image_b64: placeholder }: Item,
  form: InputForm,
  index: number,
): ItemImage {
  if (url !== undefined && placeholder === undefined) return { kind: 'url', url };
  if (url === undefined && placeholder !== undefined) return { kind: 'base64', placeholder };
  const received = url === undefined ? 'neither' : 'both';
  throw invalidRequest(
    `Expected exactly one of image_url and image_b64 for an image but received ${received}`,
    { param: nameOf(form, index, 'image_url') },
  );
}

function readItemImage(itemImage: ItemImage, body: JsonBody): ImageSource {
  try {
    return itemImage.kind === 'url'
      ? { kind: 'url', url: parseImageUrl(itemImage.url).href }
      : { kind: 'bytes', bytes: body.decode(itemImage.placeholder), fileName: null };
  } catch (error) {
    if (error instanceof CheckError) return refused(error);
    throw error;
  }
}

/** Admits a file of a form. Refuses a line of text without a file name, which `curl -F file=photo.jpg` sends. */
function admitFile(bytes: Buffer, fileName: string | null, name: string): ImageSource {
  const isText = fileName === null && /^[^\p{C}\uFFFD<]{1,4096}$/u.test(bytes.toString('utf8', 0, 8192));
  const advice = `contains text instead of a file. With curl, write @ before the path: -F ${name}=@photo.jpg`;
  if (isText) return refused(new CheckError('unsupported_format', `The form field '${name}' ${advice}`));
  return bytes.byteLength > MAX_IMAGE_BYTES ? refused(imageTooLarge()) : { kind: 'bytes', bytes, fileName };
}

function refused(error: CheckError): ImageSource {
  return { kind: 'refused', error };
}

function requireCount<T>(images: readonly T[], form: InputForm): readonly T[] {
  const count = images.length;
  if (count >= 1 && count <= mostImages(form)) return images;
  throw wrongCount(form, count === 0 ? 'no image' : String(count));
}

function mostImages(form: InputForm): number {
  return form === 'single' ? 1 : MAX_BATCH_IMAGES;
}

function moreMembers(form: InputForm): CheckError {
  return form === 'batch'
    ? wrongCount(form, `${MAX_BATCH_IMAGES + 1} or more`)
    : invalidRequest("Expected one member 'image_b64' but received 2 or more", {
        param: 'image_b64',
      });
}

function wrongCount(form: InputForm, received: string): CheckError {
  return form === 'batch'
    ? new CheckError('invalid_batch', `Expected 1 to ${MAX_BATCH_IMAGES} images but received ${received}`)
    : invalidRequest(`Expected one image, in the form field 'file', but received ${received}`, {
        param: 'file',
      });
}

function limitOf(form: InputForm, param: string, growth: number): BodyLimit {
  const imageBytes = form === 'single' ? MAX_IMAGE_BYTES : MAX_BATCH_BYTES;
  return {
    maxBytes: Math.ceil(imageBytes * growth) + FRAME_BYTES,
    refuse: (bytes) => (form === 'single' ? aboutParam(imageTooLarge(), param) : batchTooLarge(bytes)),
  };
}

/** Returns the expected size of an image, computed from the body's length; undefined for a batch. */
function expectedOf(ctx: Context, form: InputForm, growth: number, readBytes = 0): number | undefined {
  return form === 'single' ? Math.ceil((announcedBytes(ctx) - readBytes) / growth) : undefined;
}

function emptyFile(name: string): CheckError {
  return invalidRequest(`the form field '${name}' is empty`);
}

/** Returns the error for an image above the maximum size. */
export function imageTooLarge(): CheckError {
  return new CheckError(
    'image_too_large',
    `the image has more than ${MAX_IMAGE_MB} MB (${MAX_IMAGE_BYTES} bytes)`,
  );
}

/** Returns the error for a batch above the maximum size. */
export function batchTooLarge(receivedBytes: number): CheckError {
  const megabytes = (receivedBytes / 1_000_000).toFixed(1);
  return new CheckError(
    'batch_too_large',
    `the batch has at least ${megabytes} MB; at most ${MAX_BATCH_MB} MB (${MAX_BATCH_BYTES} bytes) are allowed`,
  );
}

/** Returns an image's file name, or the end of its address, for the history; null without a name. */
export function nameOfSource(image: ImageSource | undefined): string | null {
  if (image?.kind === 'url') return nameOfAddress(image.url);
  return image?.kind === 'bytes' && image.fileName !== null ? nameOfFile(image.fileName) : null;
}
