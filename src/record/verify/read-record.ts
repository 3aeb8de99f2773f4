// Reading a record that somebody received, as JSON or as an HTML page. Errors are one line for people.
import { requireShape } from 'telltale-engine/internal/base/shape.js';
import { countMembers, JsonFault, parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import { RecordFault } from '../faults.js';
import { findEmbedded, type PageSeal } from '../page/page-sections.js';
import { SignedRecord } from '../content/schema.js';

/** Maximum bytes of a record's file: ten times the size of a large record with a hundred marks. */
export const MAX_RECORD_BYTES = 4 << 20;
/**
 * Maximum number of objects, lists, fields and items in a record. Reading more could block the event loop for over
 * 20 ms. A heat map of eight crops has 1,568 cells of 9 parts, and a record with 30 manifests and 100 marks has 2,600
 * other parts.
 */
const MAX_PARTS = 30_000;

/** A record that was received and not yet verified. */
export interface ReceivedRecord {
  readonly signed: SignedRecord;
  /** Seal of the page that contains the record; null for a record that is JSON. */
  readonly page: PageSeal | null;
}

/**
 * Reads a record's file. Throws RecordFault if it is too large, incomplete, has too many parts or repeated
 * fields, or is not a record of a known version.
 */
export function readRecord(bytes: Uint8Array): ReceivedRecord {
  if (bytes.byteLength > MAX_RECORD_BYTES)
    throw new RecordFault(
      `a record has at most ${MAX_RECORD_BYTES} bytes; this file has ${bytes.byteLength}`,
    );
  const text = decode(bytes);
  const page = /^\s*</.test(text) ? findEmbedded(text) : null;
  return { signed: readJson(page === null ? text : page.json), page: page?.seal ?? null };
}

/** Reads a record from parsed JSON. Throws RecordFault as `readRecord` does. */
export function readValue(value: unknown): SignedRecord {
  const { record } = (value ?? {}) as { record?: { type?: unknown; version?: unknown } };
  if (record?.type !== 'telltale-record') throw new RecordFault('This is not a record of Telltale');
  if (record.version !== 1)
    throw new RecordFault('This record was written by a later version. A newer Telltale can read it');
  return requireShape(
    SignedRecord,
    value,
    ({ name }) => new RecordFault(`this record is damaged: it is invalid at '${name}'`),
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RecordFault('This is not a record: it is not UTF-8 text');
  }
}

function readJson(text: string): SignedRecord {
  const bytes = Buffer.from(text);
  const value = parse(bytes);
  // Checks the schema first, because it limits the value that is counted afterwards.
  const signed = readValue(value);
  if (countMembers(bytes) !== countNamed(value))
    throw new RecordFault('This record has repeated fields, which programs read differently');
  return signed;
}

function parse(bytes: Buffer): unknown {
  try {
    return parseBounded(bytes, MAX_PARTS);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new RecordFault(
      error.kind === 'too_many_parts'
        ? 'This is not a record: it has too many parts'
        : /^\s*\{/.test(bytes.toString('utf8', 0, 1024))
          ? 'This is not a record: its JSON is truncated or damaged'
          : 'This is not a record of Telltale: neither its JSON nor a page that contains it',
    );
  }
}

/** Counts the fields of all objects in a value, at any depth. */
function countNamed(value: unknown): number {
  let members = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const inside: unknown[] = Object.values(next);
    if (!Array.isArray(next)) members += inside.length;
    for (const one of inside) open.push(one);
  }
  return members;
}
