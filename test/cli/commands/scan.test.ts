// Tests `telltale scan` as users run it: all kinds of lists, interruptions at any time, and one result per
// image.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pngWith, tEXt } from '../../support/declared-images.js';
import { makeFolder } from '../../support/folders.js';
import { MIDJOURNEY } from '../../support/generator-layouts.js';
import { SCENE_JPEG } from '../../support/images.js';
import { fixture, callTelltale, runTelltale, startTelltale, type Finished } from '../../support/telltale.js';

/** A line of the results file. */
interface Line {
  readonly file?: string;
  readonly url?: string;
  readonly is_ai?: boolean;
  readonly error?: { readonly code: string };
}

describe('telltale scan', () => {
  const folder = makeFolder('scan');
  let server: Server;
  let base: string;
  const path = (name: string): string => join(folder, name);
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(path(name), content);
    return path(name);
  };
  const scan = (...args: string[]): Promise<Finished> => callTelltale(['scan', '--private', ...args]);
  const linesOf = (name: string): Line[] => {
    const text = readFileSync(path(name), 'utf8');
    assert.ok(text === '' || text.endsWith('\n'), 'half a line at the end');
    return text.split('\n').slice(0, -1).map((line) => JSON.parse(line) as Line); // prettier-ignore
  };

  before(async () => {
    server = createServer((req, res) => {
      if (req.url === '/missing') res.writeHead(404).end();
      else res.end(SCENE_JPEG);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  after(() => {
    server.close();
    server.closeAllConnections();
  });

  it('writes one result or one error for each address and file in a list', async () => {
    const list = write(
      'list.txt',
      `${base}/a.jpg\n\n${fixture('png/scene.png')}\r\n${base}/missing\nno-such.jpg`,
    );
    const { status, stdout, stderr } = await scan(list, '--out', path('list.jsonl'));
    assert.equal(status, 1, stderr);
    const lines = new Map(linesOf('list.jsonl').map((line) => [line.url ?? line.file, line]));
    assert.equal(lines.size, 4);
    assert.equal(lines.get(`${base}/a.jpg`)?.is_ai, false);
    assert.equal(lines.get(`${base}/missing`)?.error?.code, 'url_fetch_failed');
    assert.equal(lines.get('no-such.jpg')?.error?.code, 'not_found');
    assert.match(
      stdout,
      /^4 images: 0 AI detected, \d unclear, \d no AI detected, \d refused; [\d.]+ a second$/m,
    );
    assert.match(stdout, /^ {2}not_found: 1$/m);
  });

  it('fetches from many addresses at once without a Node warning', async () => {
    const addresses = Array.from({ length: 16 }, (_, index) => `${base}/${index}.jpg`);
    const list = write('sixteen.txt', addresses.join('\n'));
    const args = ['scan', '--private', list, '--out', path('sixteen.jsonl')];
    const { status, stderr } = await runTelltale(args);
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /warning/i);
  });

  it('reads one column of a CSV file with quotes and line breaks', async () => {
    const list = write('list.csv', `ref,url\n"one, ""1""","${base}/a.jpg"\n"two\nlines",${base}/b.jpg\n`);
    const { status, stderr } = await scan(list, '--out', path('csv.jsonl'));
    assert.equal(status, 0, stderr);
    assert.deepEqual(linesOf('csv.jsonl').map(({ url }) => url).sort(), [`${base}/a.jpg`, `${base}/b.jpg`]); // prettier-ignore
  });

  it('reads tables exported from spreadsheets, and UTF-16 lists of files', async () => {
    const scene = fixture('png/scene.png');
    const lists: readonly (readonly [string, string, BufferEncoding])[] = [
      ['excel.csv', `\uFEFF Ref ;URL\r\n1,5;${base}/a.jpg\r\n`, 'utf8'],
      ['unicode.tsv', `\uFEFFname\tPath\r\nü\t${scene}\r\n`, 'utf16le'],
      ['powershell.txt', `\uFEFF${scene}\r\n`, 'utf16le'],
    ];
    for (const [name, text, encoding] of lists) {
      const { status, stderr } = await scan(
        write(name, Buffer.from(text, encoding)),
        '--out',
        path(`${name}.jsonl`),
      );
      assert.equal(status, 0, stderr);
      assert.equal(linesOf(`${name}.jsonl`).length, 1);
    }
    const { status } = await scan(path('excel.csv'), '--column', ' url', '--out', path('column.jsonl'));
    assert.equal(status, 0);
  });

  it('refuses non-public addresses unless an option allows them', async () => {
    const list = write('inside.txt', `${base}/a.jpg\n`);
    const { status } = await callTelltale(['scan', list, '--out', path('inside.jsonl')]);
    assert.equal(status, 1);
    assert.equal(linesOf('inside.jsonl')[0]?.error?.code, 'url_not_public');
  });

  it('writes exactly one result per image, however often the scan is killed and resumed', async () => {
    mkdirSync(path('many'));
    const names = Array.from({ length: 24 }, (_, index) => path(`many/${index}.jpg`));
    for (const name of names) copyFileSync(fixture('jpeg/scene.jpg'), name);
    write('many/notes.txt', 'no image');
    for (let kills = 0; kills < 3; kills += 1) {
      const before = kills === 0 ? 0 : linesOf('many.jsonl').length;
      const child = startTelltale(['scan', path('many'), '--out', path('many.jsonl'), '--resume']);
      // Listens from the start, because a scan that gets ahead of this test ends by itself.
      const ended = once(child, 'exit');
      const countLines = (): number => {
        try {
          return readFileSync(path('many.jsonl'), 'utf8').split('\n').length - 1;
        } catch {
          return 0;
        }
      };
      while (child.exitCode === null && countLines() < before + 3) await setTimeout(5);
      child.kill('SIGKILL');
      await ended;
      // Keeps complete lines only, and leaves images for the next scan, even if this one has checked all.
      const lines = readFileSync(path('many.jsonl'), 'utf8').split('\n').slice(0, -1);
      const kept = lines.slice(0, names.length - 4);
      write('many.jsonl', kept.map((line) => `${line}\n`).join(''));
    }
    // The results file as it may look after a power failure: cut off within a line.
    write('many.jsonl', readFileSync(path('many.jsonl'), 'utf8') + '{"file":"half');
    const { status, stdout } = await callTelltale([
      'scan',
      path('many'),
      '--out',
      path('many.jsonl'),
      '--resume',
      '--json',
    ]);
    assert.equal(status, 0);
    assert.deepEqual(linesOf('many.jsonl').map(({ file }) => file).sort(), names.sort()); // prettier-ignore
    assert.equal((JSON.parse(stdout) as { pictures: number }).pictures, names.length);
  });

  it('prints no speed if every image was checked in an earlier run', async () => {
    const list = write('done.txt', `${base}/a.jpg\n`);
    await scan(list, '--out', path('done.jsonl'));
    const again = await scan(list, '--out', path('done.jsonl'), '--resume');
    assert.equal(again.status, 0, again.stderr);
    assert.match(again.stdout, /^1 image: 0 AI detected, 0 unclear, 1 no AI detected, 0 refused$/m);
    const { stdout } = await scan(list, '--out', path('done.jsonl'), '--resume', '--json');
    assert.equal((JSON.parse(stdout) as { pictures_per_second: unknown }).pictures_per_second, null);
  });

  it('skips broken lines of the results file and checks their images again', async () => {
    const list = write('broken.txt', `${base}/a.jpg\n${base}/b.jpg\n`);
    await scan(list, '--out', path('broken.jsonl'));
    const [kept] = readFileSync(path('broken.jsonl'), 'utf8').split('\n');
    write('broken.jsonl', `${kept}\n{"url":"bro\nnull\n`);
    const { status, stdout, stderr } = await scan(list, '--out', path('broken.jsonl'), '--resume');
    assert.equal(status, 0, stderr);
    assert.match(stderr, /skipped 2 lines of the results file that are not results, the first is line 2/);
    assert.match(stdout, /^2 images: /m);
  });

  it('refuses to write to the results file of a running scan, and replaces the lock of a killed scan', async () => {
    const list = write('locked.txt', `${base}/a.jpg\n`);
    write('locked.jsonl.lock', String(process.ppid));
    const refused = await scan(list, '--out', path('locked.jsonl'));
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, new RegExp(`Another scan \\(process ${process.ppid}\\) writes to`));
    const { pid } = spawnSync('true');
    write('locked.jsonl.lock', String(pid));
    assert.equal((await scan(list, '--out', path('locked.jsonl'))).status, 0);
    assert.ok(!existsSync(path('locked.jsonl.lock')));
  });

  it('writes two results for an image that is listed twice, even after an interruption', async () => {
    const list = write('twice.txt', `${base}/a.jpg\n${base}/a.jpg\n${base}/b.jpg\n`);
    await scan(list, '--out', path('twice.jsonl'));
    const [first] = readFileSync(path('twice.jsonl'), 'utf8').split('\n').filter((line) => line.includes('/a.jpg')); // prettier-ignore
    write('twice.jsonl', `${first}\n`);
    assert.equal((await scan(list, '--out', path('twice.jsonl'), '--resume')).status, 0);
    assert.equal(linesOf('twice.jsonl').filter(({ url }) => url === `${base}/a.jpg`).length, 2);
    assert.equal(linesOf('twice.jsonl').length, 3);
  });

  it('writes a self-contained HTML report with counts, histograms and thumbnails', async () => {
    const evil = path('<script>alert(1)<b>.jpg');
    copyFileSync(fixture('jpeg/scene.jpg'), evil);
    const list = write('report.txt', `${evil}\n${base}/missing\n`);
    await scan(list, '--out', path('report.jsonl'));
    const page = readFileSync(path('report.html'), 'utf8');
    assert.ok(!page.includes('<script'));
    assert.match(page, /&lt;script&gt;alert/);
    assert.match(page, /url_fetch_failed<\/td><td class="number">1/);
    const jpeg = /data:image\/jpeg;base64,([A-Za-z0-9+/=]+)"/.exec(page)?.[1] ?? '';
    assert.equal(Buffer.from(jpeg, 'base64').readUInt16BE(0), 0xffd8);
    assert.equal(page.match(/<svg /g)?.length, 2);
    assert.doesNotMatch(page, /(src|href)="?https?:/);
  });

  it('searches pixels for signs of AI makers, counts the signs by kind and maker, and reports only the requested kinds', async () => {
    const watermarked = readFileSync('test/fixtures/watermarks/sdxl.png');
    const declared = pngWith(tEXt('Description', MIDJOURNEY), tEXt('Author', '<script>'));
    const list = write(
      'marks.txt',
      `${write('watermarked.png', watermarked)}\n${write('declared.png', declared)}\n${base}/plain.jpg\n`,
    );
    const args = [list, '--out', path('marks.jsonl'), '--include', 'marks', '--json'];
    const { status, stdout, stderr } = await scan(...args);
    assert.equal(status, 0, stderr);
    const { marks } = JSON.parse(stdout) as { marks: { generator: string }[] };
    assert.deepEqual(
      marks.sort((a, b) => a.generator.localeCompare(b.generator)),
      [
        { kind: 'job_id', generator: 'Midjourney', pictures: 1 },
        { kind: 'watermark', generator: 'Stable Diffusion XL', pictures: 1 },
      ],
    );
    const pageOf = (): string => readFileSync(path('marks.html'), 'utf8');
    assert.match(pageOf(), /<td>job_id<\/td><td>Midjourney<\/td><td class="number">1/);
    assert.match(pageOf(), /images<\/td><td class="number">3/);
    const again = await scan(...args, '--resume', '--mark', 'job_id,visible');
    assert.equal(again.status, 0, again.stderr);
    assert.match(pageOf(), /images<\/td><td class="number">1/);
    assert.match(pageOf(), /a mark of these kinds: job_id, visible/);
    assert.ok(pageOf().includes('declared.png') && !pageOf().includes('watermarked.png'));
    assert.equal(linesOf('marks.jsonl').length, 3);
    assert.equal((JSON.parse(again.stdout) as { pictures: number }).pictures, 3);
  });

  it('counts results without signs of AI makers, and refuses to filter by signs unless the search for signs is requested', async () => {
    const list = write('unmarked.txt', `${base}/a.jpg\n`);
    await scan(list, '--out', path('unmarked.jsonl'));
    assert.doesNotMatch(readFileSync(path('unmarked.html'), 'utf8'), /Marks/);
    await scan(list, '--out', path('unmarked.jsonl'), '--resume', '--include', 'marks');
    assert.match(readFileSync(path('unmarked.html'), 'utf8'), /1 image was not searched for marks/);
    for (const [args, message] of [
      [['--mark', 'visible'], /--mark needs --include marks/],
      [['--include', 'marks', '--mark', 'sparkle'], /--mark/],
    ] as const) {
      const { status, stderr } = await scan(list, '--out', path('refused.jsonl'), ...args);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    }
  });

  for (const [what, content, message, name = 'bad.txt'] of [
    ['an empty list', '', /The list contains no image/],
    [
      'a line that is not UTF-8',
      Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a]),
      /line 2 of the list is not UTF-8/,
    ],
    ['a line of 10 MB', `a\n${'x'.repeat(10_000_000)}\n`, /line 2 of the list has more than 65536 bytes/],
    ['CSV without the column', 'sku, b\n1,2\n', /has no column 'url' .* by --column: sku, b\n/, 'bad.csv'],
    ['a binary file as a list', Buffer.from('PK\u0003\0'), /The list is a binary file/],
    ['an image as a list', 'x', /'telltale check' checks single images/, 'bad.jpg'],
    ['CSV with a broken quote', 'url\n"http://x\n', /The list is not valid CSV: .* line 2$/m, 'bad.csv'],
    [
      'CSV that is not UTF-8',
      Buffer.from('url\nhttp://\xff\n', 'latin1'),
      /line 2 of the list is not UTF-8/,
      'bad.csv',
    ],
  ] as const) {
    it(`refuses ${what} as invalid usage`, async () => {
      const { status, stderr } = await scan(write(name, content), '--out', path('bad.jsonl'));
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    });
  }

  it('reads CSV that contains U+FFFD itself', async () => {
    const list = write('odd.csv', `sku,url\nca\uFFFD,${base}/a.jpg\n`);
    const { status, stderr } = await scan(list, '--out', path('odd.jsonl'));
    assert.deepEqual([status, linesOf('odd.jsonl').length], [0, 1], stderr);
  });

  it('reports a folder without images and exits with code 1', async () => {
    mkdirSync(path('none'));
    const { status, stderr } = await scan(path('none'), '--out', path('none.jsonl'));
    assert.deepEqual([status, stderr], [1, 'telltale: there are no images to check\n']);
  });

  it('neither overwrites existing results nor continues a results file of another kind', async () => {
    const list = write('own.txt', `${base}/a.jpg\n`);
    const out = write('own.jsonl', '{"name":"something else"}\n');
    assert.match((await scan(list, '--out', out)).stderr, /already contains results/);
    const resumed = await scan(list, '--out', out, '--resume');
    assert.equal(resumed.status, 2);
    assert.match(resumed.stderr, /The results file contains no result of a scan/);
    assert.equal(readFileSync(out, 'utf8'), '{"name":"something else"}\n');
  });

  for (const content of [
    'sku,url\n1,http://a.example/1\n2,http://a.example/2',
    'one line',
    '\u0089PNG\n\u0001',
  ])
    it(`leaves a file that contains no result unchanged, such as ${JSON.stringify(content)}`, async () => {
      const list = write('kept.txt', `${base}/a.jpg\n`);
      const out = write('kept.csv', content);
      const { status, stderr } = await scan(list, '--out', out, '--resume');
      assert.equal(status, 2);
      assert.match(stderr, /The results file contains no result of a scan/);
      assert.equal(readFileSync(out, 'utf8'), content);
    });

  it('continues after a stop within the first line, or if its lock names its own process', async () => {
    const list = write('first.txt', `${base}/a.jpg\n`);
    for (const content of ['{"ur', '{"url":"http://a.example/']) {
      const out = write('first.jsonl', content);
      write('first.jsonl.lock', String(process.pid));
      assert.equal((await scan(list, '--out', out, '--resume')).status, 0);
      assert.equal(linesOf('first.jsonl').length, 1);
    }
  });

  it('exits with code 130 on Ctrl-C and leaves only complete lines in the results', async () => {
    const list = write('slow.txt', Array.from({ length: 200 }, (_, index) => `${base}/${index}\n`).join(''));
    const child = startTelltale(['scan', '--private', list, '--out', path('slow.jsonl')]);
    const ended = once(child, 'exit');
    while (child.exitCode === null) {
      try {
        if (linesOf('slow.jsonl').length > 3) break;
      } catch {
        // The results file may not exist yet.
      }
      await setTimeout(5);
    }
    child.kill('SIGINT');
    assert.equal((await ended)[0], 130);
    const count = linesOf('slow.jsonl').length;
    assert.ok(count > 3 && count < 200, String(count));
  });
});
