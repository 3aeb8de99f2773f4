// A record as somebody hands it in: JSON, or the page that carries it. Whatever is wrong is said in one line.
import { requireShape } from 'telltale-engine/internal/base/shape.js';
import { countMembers, JsonFault, parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import { RecordFault } from '../faults.js';
import { findEmbedded, type PageSeal } from '../page/page-seal.js';
import { SignedRecord } from '../content/schema.js';

/** The largest file that can be a record. Chosen: ten times what a large one with a hundred marks has. */
export const MAX_RECORD_BYTES = 4 << 20;
/** Objects, lists, members and items of the largest record. Chosen: one of 30 manifests, 100 marks and 50 patches has 3,000. */
const MAX_PARTS = 10_000;

/** What was handed in. */
export interface ReceivedRecord {
  readonly signed: SignedRecord;
  /** The seal of the page that carried it; null if it came as JSON. */
  readonly page: PageSeal | null;
}

/** Reads a file. Throws RecordFault: too large, too many parts, no text, no record, repeated members, cut off, another version. */
export function readRecord(bytes: Uint8Array): ReceivedRecord {
  if (bytes.byteLength > MAX_RECORD_BYTES)
    throw new RecordFault(
      `a record has at most ${MAX_RECORD_BYTES} bytes; this file has ${bytes.byteLength}`,
    );
  const text = decode(bytes);
  const page = /^\s*</.test(text) ? findEmbedded(text) : null;
  return { signed: readJson(page === null ? text : page.json), page: page?.seal ?? null };
}

/** A record that came as a value. Throws RecordFault as `readRecord`. */
export function readValue(value: unknown): SignedRecord {
  const { record } = (value ?? {}) as { record?: { type?: unknown; version?: unknown } };
  if (record?.type !== 'telltale-record') throw new RecordFault('this is no record of Telltale');
  if (record.version !== 1)
    throw new RecordFault('this record is of a later version; a newer Telltale can read it');
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
    throw new RecordFault('this is no record: it is not text in UTF-8');
  }
}

function readJson(text: string): SignedRecord {
  const bytes = Buffer.from(text);
  const value = parse(bytes);
  // First, because a value of sound shape is quickly counted.
  const signed = readValue(value);
  if (countMembers(bytes) !== countNamed(value))
    throw new RecordFault('this record has repeated members, so programs would read it differently');
  return signed;
}

function parse(bytes: Buffer): unknown {
  try {
    return parseBounded(bytes, MAX_PARTS);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    throw new RecordFault(
      error.kind === 'too_many_parts'
        ? 'this is no record: it has more parts than any record'
        : /^\s*\{/.test(bytes.toString('utf8', 0, 1024))
          ? 'this is no record: its JSON is cut off or damaged'
          : 'this is no record of Telltale: neither its JSON nor the page that carries it',
    );
  }
}

/** Members of all objects within a value, however deep. */
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
