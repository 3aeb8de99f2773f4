/**
 * Makes hostile images for tests over HTTP and the command line. Each must lead to a refusal or a verdict
 * within 2 s and 1 GB. As a program it writes them to a folder: `node --import tsx
 * test/hostile/make-hostile.ts FOLDER`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, crc32, deflateRawSync } from 'node:zlib';

/** A hostile file and the error codes that it may lead to. `null` stands for a verdict. */
export interface HostileFile {
  name: string;
  bytes: Buffer;
  codes: (string | null)[];
}

const IMAGES = new URL('../fixtures/images/', import.meta.url);
const CORRUPT = ['image_corrupt'];

function readFixture(path: string): Buffer {
  return readFileSync(new URL(path, IMAGES));
}

/** Returns a zlib stream of `count` zero bytes. One block is compressed once and repeated. */
function deflateZeros(count: number): Buffer {
  const blockSize = 1 << 20;
  const block = deflateRawSync(Buffer.alloc(blockSize), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const rest = deflateRawSync(Buffer.alloc(count % blockSize), { level: 9 });
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(((count % 65521) * 65536 + 1) >>> 0);
  const blocks = new Array<Buffer>(Math.floor(count / blockSize)).fill(block);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, rest, checksum]);
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Returns an RGB PNG that claims `side` px and contains `zeros` compressed zero bytes of pixels. */
function makePng(side: number, zeros: number, before: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    before,
    pngChunk('IDAT', deflateZeros(zeros)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a grey TIFF that claims `side` px and contains one compressed strip of `zeros` zero bytes. */
function makeTiff(side: number, zeros: number): Buffer {
  const data = deflateZeros(zeros);
  const entries: [tag: number, type: 3 | 4, value: number][] = [
    [256, 4, side],
    [257, 4, side],
    [258, 3, 8],
    [259, 3, 8],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, side],
    [279, 4, data.length],
  ];
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length, 0);
  for (const [index, [tag, type, value]] of entries.entries()) {
    const at = 2 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(1, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(8 + data.length, 4);
  return Buffer.concat([header, data, directory]);
}

/** Returns a progressive JPEG whose last scan is repeated `scans` times. */
function repeatLastScan(jpeg: Buffer, scans: number): Buffer {
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = jpeg.subarray(last, jpeg.length - 2);
  return Buffer.concat([
    jpeg.subarray(0, last),
    ...new Array<Buffer>(scans).fill(scan),
    Buffer.from([0xff, 0xd9]),
  ]);
}

function withBytes(file: Buffer, at: number, bytes: number[]): Buffer {
  const changed = Buffer.from(file);
  changed.set(bytes, at);
  return changed;
}

/** Returns copies of the file, cut off at each sixteenth of its length. */
function truncations(path: string): HostileFile[] {
  const file = readFixture(path);
  return Array.from({ length: 15 }, (_, index) => {
    const sixteenths = index + 1;
    return {
      name: `${path.replace('/', '-')}-cut-${sixteenths}-16`,
      bytes: file.subarray(0, Math.floor((file.length * sixteenths) / 16)),
      codes: CORRUPT,
    };
  });
}

/** Returns images with false headers, decompression bombs, polyglots and endless scans. */
function bombs(): HostileFile[] {
  const png = readFixture('png/scene.png');
  const jpeg = readFixture('jpeg/scene.jpg');
  const text = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateZeros(4e9)]);
  const rows = 300 * (300 * 3 + 1);
  const tooMany = ['image_too_many_pixels'];
  return [
    { name: 'png-100000', bytes: makePng(100_000, 1000), codes: tooMany },
    { name: 'png-lying-size', bytes: withBytes(png, 16, [0, 0, 0x40, 0, 0, 0, 0x10, 0]), codes: CORRUPT },
    { name: 'png-short-pixels', bytes: makePng(9_000, 1_000_000), codes: CORRUPT },
    { name: 'png-endless-pixels', bytes: makePng(300, 10e9), codes: [null] },
    { name: 'png-text-bomb', bytes: makePng(300, rows, pngChunk('zTXt', text)), codes: [null] },
    { name: 'tiff-short-strip', bytes: makeTiff(9_000, 1_000_000), codes: CORRUPT },
    { name: 'tiff-endless-strip', bytes: makeTiff(300, 10e9), codes: [null] },
    {
      name: 'jpeg-10000-scans',
      bytes: repeatLastScan(readFixture('jpeg/progressive.jpg'), 10_000),
      codes: [...CORRUPT, 'image_too_small'],
    },
    { name: 'polyglot-png-jpeg', bytes: Buffer.concat([png, jpeg]), codes: [null] },
    { name: 'polyglot-jpeg-zip', bytes: Buffer.concat([jpeg, Buffer.from('PK\x03\x04')]), codes: [null] },
    {
      name: 'text-as-bmp',
      bytes: Buffer.from('BM is how this sentence starts, and it is no bitmap'),
      codes: ['unsupported_format'],
    },
    { name: 'empty', bytes: Buffer.alloc(0), codes: ['unsupported_format', 'invalid_request'] },
  ];
}

/** Returns every hostile file. They are made anew, and take some 60 MB in total. */
export function makeHostileFiles(): HostileFile[] {
  const scenes = [
    'jpeg/scene.jpg',
    'png/scene.png',
    'webp/scene.webp',
    'avif/scene.avif',
    'gif/scene.gif',
    'tiff/scene.tif',
  ];
  return [...scenes.flatMap(truncations), ...bombs()];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = process.argv[2];
  if (!folder) throw new Error('Expected a folder to write to');
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of makeHostileFiles()) writeFileSync(join(folder, name), bytes);
}
