// Collects the parts of a form within limits: images in memory, and everything else as text fields.
import type { Readable } from 'node:stream';
import { MAX_IMAGE_BYTES } from 'telltale-engine/internal/base/limits.js';
import { type CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { ByteCollector } from 'telltale-engine/internal/base/bytes.js';
import { show } from 'telltale-engine/internal/base/shape.js';

/** Rules for the parts of a form. */
export interface PartRules {
  /** Name of the parts with an image. An image part may lack a file name. */
  readonly imageName: string;
  /** Names of the other allowed parts; default: any name. */
  readonly fieldNames?: readonly string[];
  readonly maxImages: number;
  /** Returns the error for too many images. */
  readonly refuseMore: () => CheckError;
  /** Expected size of an image in bytes, or undefined if unknown. */
  readonly expectedBytes: number | undefined;
}

/** Maximum number of fields in addition to images. */
const MAX_FIELDS = 20;
/** Maximum bytes of a field's text. Enough for 1,000 characters of four bytes each. */
const MAX_FIELD_BYTES = 4096;

/** A part with the bytes received so far. */
interface Part {
  readonly name: string;
  readonly fileName: string | null;
  readonly bytes: ByteCollector;
  /** Maximum bytes of the part. One byte more is stored, which shows that the part is too large. */
  readonly limitBytes: number;
}

/** Collects the parts of a form in the order of the body. */
export class FormParts {
  readonly #rules: PartRules;
  readonly #images: Part[] = [];
  readonly #fields: Part[] = [];
  readonly #body: Readable;
  /** First error of the form, or null. */
  fault: Error | null = null;

  /** Destroys `body`, the stream that is parsed, at the first error. */
  constructor(rules: PartRules, body: Readable) {
    this.#rules = rules;
    this.#body = body;
  }

  /** Images in the order of the body. A too large image is cut one byte above the maximum. */
  get images(): readonly Buffer[] {
    return this.#images.map(({ bytes }) => bytes.view());
  }

  /** File name of each image, or null. */
  get fileNames(): readonly (string | null)[] {
    return this.#images.map(({ fileName }) => fileName);
  }

  /** Other fields in the order of the body. */
  get fields(): readonly (readonly [name: string, value: string])[] {
    return this.#fields.map(({ name, bytes }) => [name, bytes.view().toString('utf8')]);
  }

  /** Throws the first error of the form. */
  throwFault(): void {
    if (this.fault) throw this.fault;
  }

  /** Records an error of the form, or of its field `param`. Only the first error counts. */
  refuse(fault: Error | string, param: string | null = null): void {
    this.fault ??= typeof fault === 'string' ? invalidRequest(fault, { param }) : fault;
    this.#body.destroy(this.fault);
  }

  /** Adds a part that arrives as a stream. Always reads the stream to its end, as the parser requires. */
  addStream(name: string | undefined, stream: Readable, fileName: string | null): void {
    const part = this.#open(name, fileName);
    stream.on('data', (chunk: Buffer) => this.#keep(part, chunk));
  }

  /** Adds a complete part. */
  addBytes(name: string | undefined, bytes: Buffer): void {
    this.#keep(this.#open(name, null), bytes);
  }

  /** Creates the next part. Returns null and records an error if the part is not allowed. */
  #open(name: string | undefined, fileName: string | null): Part | null {
    const { imageName, fieldNames, maxImages, refuseMore, expectedBytes } = this.#rules;
    const isImage = name === imageName;
    if (name === undefined) this.refuse('a form field without a name is not known');
    else if (isImage && this.#images.length === maxImages) this.refuse(refuseMore());
    else if (!isImage && fieldNames?.includes(name) === false)
      this.refuse(unknownField(name, imageName, fieldNames), show(name));
    else if (!isImage && this.#fields.length === MAX_FIELDS)
      this.refuse(`the form has more than ${MAX_FIELDS} fields`);
    else {
      const limitBytes = isImage ? MAX_IMAGE_BYTES : MAX_FIELD_BYTES;
      const bytes = new ByteCollector(limitBytes + 1, isImage ? expectedBytes : 0);
      const part = { name, fileName, limitBytes, bytes };
      (isImage ? this.#images : this.#fields).push(part);
      return part;
    }
    return null;
  }

  #keep(part: Part | null, chunk: Buffer): void {
    if (part === null) return;
    const { name, bytes, limitBytes } = part;
    bytes.append(chunk.subarray(0, limitBytes + 1 - bytes.sizeBytes));
    if (bytes.sizeBytes > limitBytes && name !== this.#rules.imageName)
      this.refuse(
        `the form field '${show(name)}' has more than ${MAX_FIELD_BYTES} bytes; a file goes into the field '${this.#rules.imageName}'`,
        show(name),
      );
  }
}

function unknownField(name: string, imageName: string, fieldNames: readonly string[]): string {
  const options =
    fieldNames.length === 0 ? 'there are no options' : `the options are ${fieldNames.join(', ')}`;
  return `the form: '${show(name)}' is not known here; an image goes into the field '${imageName}', ${options}`;
}
