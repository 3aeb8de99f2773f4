// A form's parts, kept within bounds however many come: images in memory, everything else as fields.
import type { Readable } from 'node:stream';
import { MAX_IMAGE_BYTES } from 'telltale-engine/internal/base/limits.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { ByteCollector } from 'telltale-engine/internal/base/byte-collector.js';
import { show } from 'telltale-engine/internal/base/shape.js';

/** Which parts are images, and how many there may be. */
export interface PartRules {
  /** Name of the parts that are images, with a file name or without; a list is read apart. */
  readonly imageName: string;
  /** Names of all other parts that there may be; default: any. */
  readonly fieldNames?: readonly string[];
  readonly maxImages: number;
  /** The error of more images. */
  readonly refuseMore: () => CheckError;
  /** Size of an image, if it is known. */
  readonly expectedBytes: number | undefined;
}

/** Bounds on what a form holds beside images. */
const MAX_FIELDS = 20;
/** Bytes of the longest text that a field may hold: 1,000 characters of four bytes. */
const MAX_FIELD_BYTES = 4096;

/** One part, as far as it is kept. */
interface Part {
  readonly name: string;
  readonly fileName: string | null;
  readonly bytes: ByteCollector;
  /** What it may hold; one byte more is kept, and tells that it is too large. */
  readonly limitBytes: number;
}

/** Gathers parts in the order of the body. */
export class FormParts {
  readonly #rules: PartRules;
  readonly #images: Part[] = [];
  readonly #fields: Part[] = [];
  /** Aborts with the first fault. */
  readonly #stop = new AbortController();

  constructor(rules: PartRules) {
    this.#rules = rules;
  }

  /** Images in the order of the body; of one that is too large, one byte more than is allowed. */
  get images(): readonly Buffer[] {
    return this.#images.map(({ bytes }) => bytes.view());
  }

  /** The name of the file of each image; null where it came without. */
  get fileNames(): readonly (string | null)[] {
    return this.#images.map(({ fileName }) => fileName);
  }

  /** Everything else, in the order of the body. */
  get fields(): readonly (readonly [name: string, value: string])[] {
    return this.#fields.map(({ name, bytes }) => [name, bytes.view().toString('utf8')]);
  }

  /** Aborts with the first fault of the form as a whole. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Notes a fault of the form as a whole, or of its field `param`; the first one counts. */
  refuse(fault: unknown, param: string | null = null): void {
    this.#stop.abort(typeof fault === 'string' ? new CheckError('invalid_request', fault, { param }) : fault);
  }

  /** A part that comes as a stream, which is read to its end whatever becomes of the part. */
  addStream(name: string | undefined, stream: Readable, fileName: string | null): void {
    const part = this.#open(name, fileName);
    stream.on('data', (chunk: Buffer) => this.#keep(part, chunk));
  }

  /** A part that has come as a whole. */
  addBytes(name: string | undefined, bytes: Buffer): void {
    this.#keep(this.#open(name, null), bytes);
  }

  /** Makes room for the next part; null where it is one too many, or nobody could ask for it. */
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
  const places = `an image goes into the field '${imageName}', the options are ${fieldNames.join(', ')}`;
  return `the form: '${show(name)}' is not known here; ${places}`;
}
