// Makes images whose headers or metadata take much longer to read than their size suggests.
import { iTXt, pngWith } from './declared-images.js';
import { readFixture } from './images.js';

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/** Returns an AVIF sequence of 49,000 chunks. A simple reader would search all 4,095 runs for each chunk. */
export function avifOfManyRuns(): Buffer {
  const tables = new Map([
    ['stco', tableOf(Array.from({ length: 49_000 }, () => [1_000]))],
    ['stsc', tableOf(Array.from({ length: 4_095 }, (_, run) => [run + 1, 1, 1]))],
  ]);
  return withTables(readFixture('avif/sequence.avif'), tables);
}

/** Returns a PNG whose XMP consists of half a megabyte of entities. */
export function pngOfEntities(): Buffer {
  const packet = `<x:xmpmeta xmlns:x="adobe:ns:meta/">${'&amp;'.repeat(99_000)}</x:xmpmeta>`;
  return pngWith(iTXt('XML:com.adobe.xmp', packet, true));
}

function tableOf(rows: readonly (readonly number[])[]): Buffer {
  const numbers = [0, rows.length, ...rows.flat()];
  const body = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, at) => body.writeUInt32BE(number, at * 4));
  return body;
}

function withTables(boxes: Buffer, tables: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < boxes.length; at += boxes.readUInt32BE(at)) {
    const type = boxes.toString('latin1', at + 4, at + 8);
    const body = boxes.subarray(at + 8, at + boxes.readUInt32BE(at));
    const changed = CONTAINERS.has(type) ? withTables(body, tables) : (tables.get(type) ?? body);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(changed.length + 8);
    head.write(type, 4, 'latin1');
    parts.push(head, changed);
  }
  return Buffer.concat(parts);
}
