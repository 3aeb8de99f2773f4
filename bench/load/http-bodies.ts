// Making HTTP request bodies that contain images.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

export type BodyKind = 'multipart' | 'json';

export interface Body {
  readonly type: string;
  readonly content: Buffer;
}

const BOUNDARY = 'telltale-bench-7d1f3c';

export function makeBody(bytes: Buffer, name: string, kind: BodyKind): Body {
  if (kind === 'json') {
    const content = Buffer.from(JSON.stringify({ image_b64: bytes.toString('base64') }));
    return { type: 'application/json', content };
  }
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const content = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, content };
}

/** Reads image files and makes a request body for each. */
export function readBodies(paths: readonly string[], kind: BodyKind): Body[] {
  return paths.map((path) => makeBody(readFileSync(path), basename(path).replace(/"/g, ''), kind));
}
