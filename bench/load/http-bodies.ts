// Making HTTP request bodies that contain images.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

export type BodyKind = 'multipart' | 'json';

export interface Body {
  readonly type: string;
  readonly content: Buffer;
}

const BOUNDARY = 'telltale-bench-7d1f3c';

/** Makes a form in which all files have the same field name. */
export function makeForm(field: string, files: readonly Buffer[], name = 'image'): Body {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const parts = files.flatMap((file) => [Buffer.from(head), file, Buffer.from('\r\n')]);
  const content = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, content };
}

export function makeBody(bytes: Buffer, name: string, kind: BodyKind): Body {
  if (kind === 'multipart') return makeForm('file', [bytes], name);
  const content = Buffer.from(JSON.stringify({ image_b64: bytes.toString('base64') }));
  return { type: 'application/json', content };
}

/** Reads image files and makes a request body for each. */
export function readBodies(paths: readonly string[], kind: BodyKind): Body[] {
  return paths.map((path) => makeBody(readFileSync(path), basename(path).replace(/"/g, ''), kind));
}
