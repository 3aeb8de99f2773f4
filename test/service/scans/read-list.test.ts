// Tests reading the beginning of a list in chunks: white space, byte order marks, and separators and
// encodings of spreadsheets.
import assert from 'node:assert/strict';
import { readList, type ListedItem } from '../../../src/service/scans/read-list.js';

const CHUNK_BYTES = 65_536;
const ADDRESS = 'https://example.org/1';
const OBJECT = `{"url":"${ADDRESS}"}\n`;
const TABLE = `url\n${ADDRESS}\n`;

/** A list that arrives in chunks of one size. Counts the chunks that were read. */
class Source {
  readChunks = 0;
  isClosed = false;
  readonly #bytes: Buffer;
  readonly #chunkBytes: number;

  constructor(list: string | Buffer, chunkBytes = CHUNK_BYTES) {
    this.#bytes = Buffer.from(list);
    this.#chunkBytes = chunkBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (let from = 0; from < this.#bytes.byteLength; from += this.#chunkBytes) {
        this.readChunks += 1;
        yield await Promise.resolve(this.#bytes.subarray(from, from + this.#chunkBytes));
      }
    } finally {
      this.isClosed = true;
    }
  }
}

async function readAll(source: AsyncIterable<Buffer>): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  for await (const item of readList(source, (text) => text)) items.push(item);
  return items;
}

const placesOf = async (source: AsyncIterable<Buffer>): Promise<(number | string | null)[][]> =>
  (await readAll(source)).map(({ line, address }) => [line, address]);

describe('the beginning of a list of images', () => {
  const refusals: readonly [string, string, RegExp, number][] = [
    ['a line of 3 MB of spaces', ' '.repeat(3_000_000), /line 1 of the list has more than 65536 bytes/, 2],
    ['a long line after blank lines', `\n \r\n\n${' '.repeat(3_000_000)}`, /line 4 of the list has more than 65536/, 2],
    ['a long line that ends within a chunk', `${' '.repeat(100_000)}\n${'\n'.repeat(3_000_000)}`, /line 1 of the list has/, 2],
  ]; // prettier-ignore
  for (const [title, list, message, chunks] of refusals) {
    it(`is refused as soon as ${title} exceeds the maximum line length`, async () => {
      const source = new Source(list);
      await assert.rejects(readAll(source), { code: 'invalid_request', message });
      assert.equal(source.readChunks, chunks);
      assert.ok(source.isClosed);
    });
  }

  it('may have more blank lines than the maximum line length, and they count as lines', async () => {
    const blank = [['\n', 150_000], [' \t\n', 50_000], ['\r\n', 70_000]] as const; // prettier-ignore
    for (const [end, count] of blank)
      assert.deepEqual(await placesOf(new Source(end.repeat(count) + OBJECT)), [[count + 1, ADDRESS]]);
    for (const end of ['\n', '\r\n', '\r']) {
      const table = end.repeat(150_000) + TABLE.replaceAll('\n', end);
      assert.deepEqual(await placesOf(new Source(table)), [[150_002, ADDRESS]]);
    }
  });

  it('lets other work run between chunks of blank lines', async () => {
    const source = new Source('\n'.repeat(10 * CHUNK_BYTES) + OBJECT);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await readAll(source);
    clearImmediate(timer);
    assert.ok(turns >= 9, `${turns} turns in 11 chunks`);
  });

  it('may be a blank line of the maximum length', async () => {
    assert.deepEqual(await placesOf(new Source(`${' '.repeat(65_536)}\n${OBJECT}`)), [[2, ADDRESS]]);
    await assert.rejects(readAll(new Source(`${' '.repeat(65_537)}\n${OBJECT}`)), /line 1 of the list/);
  });

  it('may be a UTF-8 byte order mark, split anywhere, followed by white space', async () => {
    for (const chunkBytes of [1, 2, 3, 4, 5, CHUNK_BYTES]) {
      assert.deepEqual(await placesOf(new Source(`\uFEFF${OBJECT}`, chunkBytes)), [[1, ADDRESS]]);
      assert.deepEqual(await placesOf(new Source(`\uFEFF \n${OBJECT}`, chunkBytes)), [[2, ADDRESS]]);
      assert.deepEqual(await placesOf(new Source(`\uFEFF${TABLE}`, chunkBytes)), [[2, ADDRESS]]);
    }
  });
});

describe('a list of images exported from a spreadsheet', () => {
  const rows = [
    [' URL ', 'Title', 'REF'],
    [ADDRESS, 'one, two', 'ü'],
    ['https://example.org/a,b;c', '"a;b\tc"', '2'],
  ];
  const tables: readonly (readonly [string, string])[] = [
    ['commas', rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()).join('\n')],
    ['semicolons', rows.map((cells) => cells.map((cell) => cell.replace(',b;c', ',b%3Bc')).join(';')).join('\r\n')],
    ['tabs', rows.map((cells) => cells.join('\t')).join('\r\n')],
  ]; // prettier-ignore
  const swap = (bytes: Buffer): Buffer => bytes.swap16();
  const encodings: readonly (readonly [string, (text: string) => Buffer])[] = [
    ['UTF-8', (text) => Buffer.from(text)],
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\uFEFF${text}`)],
    ['UTF-16', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 without a byte order mark', (text) => Buffer.from(text.trimStart(), 'utf16le')],
    ['big-endian UTF-16', (text) => swap(Buffer.from(`\uFEFF${text}`, 'utf16le'))],
  ];
  for (const [separators, table] of tables) {
    for (const [encoding, encode] of encodings) {
      it(`is read with ${separators} in ${encoding}, whatever the size of the received pieces`, async () => {
        for (const chunkBytes of [1, 2, 3, 7, CHUNK_BYTES]) {
          const items = await readAll(new Source(encode(table), chunkBytes));
          assert.deepEqual(
            items.map(({ address, ref }) => [address?.replace('%3B', ';'), ref]),
            rows.slice(1).map(([address, , ref]) => [address, ref]),
          );
        }
      });
    }
  }

  it('may be JSON lines in UTF-16', async () => {
    assert.deepEqual(await placesOf(new Source(Buffer.from(`\uFEFF${OBJECT}`, 'utf16le'), 3)), [
      [1, ADDRESS],
    ]);
  });

  it('is refused if only its beginning is UTF-16', async () => {
    const broken = Buffer.concat([
      Buffer.from('\uFEFFurl\n', 'utf16le'),
      Buffer.from([0x00, 0xd8, 0x41, 0x00]),
    ]);
    for (const bytes of [broken, Buffer.from('\uFEFFurl\nx', 'utf16le').subarray(0, -1)])
      await assert.rejects(readAll(new Source(bytes)), {
        code: 'invalid_request',
        message: /begins as UTF-16/,
      });
  });

  for (const [declaration, separator] of [
    ['sep=;', ';'],
    ['SEP=,', ','],
    ['"sep=\t"', '\t'],
    ['sep=|', '|'],
  ] as const)
    for (const mark of ['', '\uFEFF'])
      it(`may start with the line ${JSON.stringify(mark + declaration)}, which names the separator`, async () => {
        const rows = [`id,${separator}url`, `"a,b"${separator}${ADDRESS}`].map((row) =>
          row.replace('id,', 'id'),
        );
        const list = `${mark}${declaration}\r\n${rows.join('\r\n')}\r\n`;
        for (const pieceBytes of [1, 7, CHUNK_BYTES])
          assert.deepEqual(await placesOf(new Source(list, pieceBytes)), [[3, ADDRESS]]);
      });
});
