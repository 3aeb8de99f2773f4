// Makes files with metadata, chunk by chunk, in the layouts of various programs.
import { deflateSync } from 'node:zlib';
import { crc32 } from 'node:zlib';
import { readFixture } from './images.js';

/** Returns the scene as PNG with `chunks` before its pixels. */
export function pngWith(...chunks: readonly Buffer[]): Buffer {
  return withChunks(readFixture('png/scene.png'), ...chunks);
}

/** Returns a PNG with `chunks` after its header. */
export function withChunks(png: Buffer, ...chunks: readonly Buffer[]): Buffer {
  const afterHeader = 8 + 25;
  return Buffer.concat([png.subarray(0, afterHeader), ...chunks, png.subarray(afterHeader)]);
}

/** Returns a PNG chunk of any type. */
export function pngChunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  return Buffer.concat([uint32be(body.length), named, uint32be(crc32(named))]);
}

/** Returns a tEXt chunk, as Pillow writes Latin-1 text. */
export function tEXt(keyword: string, text: string): Buffer {
  return pngChunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'));
}

/** Returns a zTXt chunk. */
export function zTXt(keyword: string, text: string): Buffer {
  return pngChunk('zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`), deflateSync(text)]));
}

/** Returns an iTXt chunk, compressed or not, as Pillow writes other text than Latin-1. */
export function iTXt(keyword: string, text: string, isCompressed = false): Buffer {
  const head = Buffer.from(`${keyword}\0${isCompressed ? '\x01' : '\0'}\0\0\0`, 'latin1');
  return pngChunk('iTXt', Buffer.concat([head, isCompressed ? deflateSync(text) : Buffer.from(text)]));
}

/** Returns the scene as WebP with one more chunk, whose type has four characters. */
export function webpWith(type: string, body: Buffer): Buffer {
  const webp = readFixture('webp/scene.webp');
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  const file = Buffer.concat([webp, Buffer.from(type), size, body, Buffer.alloc(body.length & 1)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}

/** Returns the scene as JPEG with `segments` after its first marker and `trailer` after its end. */
export function jpegWith(segments: readonly Buffer[], trailer: Buffer = Buffer.alloc(0)): Buffer {
  const jpeg = readFixture('jpeg/scene.jpg');
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2), trailer]);
}

/** Returns a JPEG segment. */
export function segment(marker: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), uint16be(body.length + 2), body]);
}

/** Returns an APP1 segment with an EXIF block. */
export function exifSegment(exif: Buffer): Buffer {
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif]));
}

/** Returns an APP1 segment with an XMP packet. */
export function xmpSegment(packet: string): Buffer {
  return segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${packet}`));
}

/** Returns an APP13 segment with IPTC-IIM texts of record 2, by data set number. */
export function iptcSegment(texts: Readonly<Record<number, string>>): Buffer {
  const records = Buffer.concat(
    Object.entries(texts).map(([number, text]) =>
      Buffer.concat([
        Buffer.from([0x1c, 2, Number(number)]),
        uint16be(Buffer.byteLength(text)),
        Buffer.from(text),
      ]),
    ),
  );
  const padding = Buffer.alloc(records.length & 1);
  const resource = [Buffer.from('8BIM\x04\x04\0\0', 'latin1'), uint32be(records.length), records, padding];
  return segment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0', 'latin1'), ...resource]));
}

/** Returns an XMP packet with the given content of one rdf:Description, whose namespaces are declared. */
export function xmpPacket(inside: string, attributes = ''): string {
  const namespaces = {
    dc: 'http://purl.org/dc/elements/1.1/',
    xmp: 'http://ns.adobe.com/xap/1.0/',
    xmpMM: 'http://ns.adobe.com/xap/1.0/mm/',
    stEvt: 'http://ns.adobe.com/xap/1.0/sType/ResourceEvent#',
    photoshop: 'http://ns.adobe.com/photoshop/1.0/',
    exif: 'http://ns.adobe.com/exif/1.0/',
    Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
    TC260: 'http://www.tc260.org.cn/ns/AIGC/1.0/',
  };
  const declared = Object.entries(namespaces).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  return (
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<rdf:Description rdf:about="" ${declared.join(' ')} ${attributes}>${inside}</rdf:Description>` +
    '</rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
  );
}

/**
 * Value of an EXIF tag: a string becomes ASCII, a Buffer undefined bytes, a number a LONG, a pair a RATIONAL.
 */
type ExifValue = string | Buffer | number | readonly [number, number];

/** Returns a little-endian EXIF block with the tags of IFD0 and of the EXIF IFD. */
export function exifBlock(
  main: Readonly<Record<number, ExifValue>>,
  exif: Readonly<Record<number, ExifValue>> = {},
): Buffer {
  const mainSize = (count: number): number => 2 + 12 * count + 4;
  const hasExif = Object.keys(exif).length > 0;
  const mainCount = Object.keys(main).length + (hasExif ? 1 : 0);
  // The values of a directory follow it. A first pass with any address therefore determines its size.
  const sized = writeDirectory({ ...main, ...(hasExif && { 0x8769: 0 }) }, 8);
  const exifAt = 8 + sized.length;
  const first = writeDirectory({ ...main, ...(hasExif && { 0x8769: exifAt }) }, 8);
  if (first.length < mainSize(mainCount)) throw new Error('a directory is shorter than its entries');
  const header = Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
  return Buffer.concat([header, first, ...(hasExif ? [writeDirectory(exif, exifAt)] : [])]);
}

function writeDirectory(tags: Readonly<Record<number, ExifValue>>, at: number): Buffer {
  const entries = Object.entries(tags);
  const values: Buffer[] = [];
  let valueAt = at + 2 + 12 * entries.length + 4;
  const written = entries.map(([number, value]) => {
    const { type, count, bytes } = encodeValue(value);
    const entry = Buffer.alloc(12);
    entry.writeUInt16LE(Number(number), 0);
    entry.writeUInt16LE(type, 2);
    entry.writeUInt32LE(count, 4);
    if (bytes.length <= 4) bytes.copy(entry, 8);
    else {
      entry.writeUInt32LE(valueAt, 8);
      values.push(bytes);
      valueAt += bytes.length;
    }
    return entry;
  });
  const count = Buffer.alloc(2);
  count.writeUInt16LE(entries.length);
  return Buffer.concat([count, ...written, Buffer.alloc(4), ...values]);
}

function encodeValue(value: ExifValue): { type: number; count: number; bytes: Buffer } {
  if (typeof value === 'string') {
    const bytes = Buffer.from(`${value}\0`);
    return { type: 2, count: bytes.length, bytes };
  }
  if (Buffer.isBuffer(value)) return { type: 7, count: value.length, bytes: value };
  if (typeof value === 'number') return { type: 4, count: 1, bytes: uint32le(value) };
  return { type: 5, count: 1, bytes: Buffer.concat([uint32le(value[0]), uint32le(value[1])]) };
}

/** Returns EXIF's UserComment in UTF-16 as piexif writes it: always big-endian. */
export function unicodeComment(text: string): Buffer {
  return Buffer.concat([Buffer.from('UNICODE\0', 'latin1'), Buffer.from(text, 'utf16le').swap16()]);
}

/** Returns Samsung's trailer with one block. */
export function samsungTrailer(name: string, data: string): Buffer {
  const block = Buffer.concat([
    Buffer.from([0, 0, 0xa1, 0x0b]),
    uint32le(name.length),
    Buffer.from(name + data, 'latin1'),
  ]);
  const entry = Buffer.concat([
    Buffer.from([0, 0, 0xa1, 0x0b]),
    uint32le(block.length),
    uint32le(block.length),
  ]);
  const directory = Buffer.concat([Buffer.from('SEFH'), uint32le(106), uint32le(1), entry]);
  return Buffer.concat([block, directory, uint32le(directory.length), Buffer.from('SEFT')]);
}

function uint16be(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function uint32be(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint32le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
