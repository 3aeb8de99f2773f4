// Tests finding and reading the images that a command line names.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findImages } from '../../../src/calibration/input-files/find-images.js';
import { readHead, readImage } from '../../../src/calibration/input-files/read-image.js';
import { MAX_IMAGE_BYTES } from '../../../src/library/base/limits.js';
import { makeFolder } from '../../support/folders.js';

const { signal } = new AbortController();

describe('reading images given on the command line', () => {
  const folder = makeFolder('pictures');
  before(async () => {
    await mkdir(join(folder, 'set/deep'), { recursive: true });
    await mkdir(join(folder, 'set/out'));
    await mkdir(join(folder, 'set/.hidden'));
    for (const name of [
      'set/b.JPG',
      'set/a.txt',
      'set/.c.jpg',
      'set/.hidden/d.jpg',
      'set/deep/e.tiff',
      'set/out/f.png',
    ]) {
      await writeFile(join(folder, name), 'content');
    }
    await symlink('b.JPG', join(folder, 'set/link.webp'));
    await symlink('..', join(folder, 'set/deep/loop'));
  });

  it('lists a folder in order, without hidden files, link loops and the results folder', async () => {
    const set = join(folder, 'set');
    const found = await findImages([set], { resultsDir: join(set, 'out'), signal });
    assert.deepEqual(
      found.map(({ name, relativePath, mustBeImage }) => [
        name.slice(set.length + 1),
        relativePath,
        mustBeImage,
      ]),
      [
        ['a.txt', 'a.txt', false],
        ['b.JPG', 'b.JPG', true],
        ['deep/e.tiff', 'deep/e.tiff', true],
        ['link.webp', 'link.webp', true],
      ],
    );
  });

  it('lists the results folder if the user names it as input, except earlier results in it', async () => {
    const out = join(folder, 'set/out');
    await writeFile(join(out, 'f.png.annotated.png'), 'content');
    const found = await findImages([out], { resultsDir: out, signal });
    assert.deepEqual(
      found.map(({ relativePath }) => relativePath),
      ['f.png'],
    );
  });

  it('keeps every path that the user names, even standard input (-) and paths that do not exist', async () => {
    const names = [join(folder, 'set/a.txt'), '-', join(folder, 'none.jpg')];
    const found = await findImages(names, { signal });
    assert.deepEqual(
      found.map(({ name }) => name),
      names,
    );
    assert.ok(found.every(({ mustBeImage }) => mustBeImage));
  });

  it('stops if the caller aborts', async () => {
    await assert.rejects(findImages([folder], { signal: AbortSignal.abort(new Error('stop')) }), /stop/);
  });

  it('returns a whole file, or only its first bytes if requested', async () => {
    const path = join(folder, 'long.bin');
    await writeFile(path, Buffer.alloc(10_000, 7));
    assert.equal((await readImage(path, signal)).byteLength, 10_000);
    assert.equal((await readHead(path)).byteLength, 4096);
  });

  it('explains why a file cannot be read', async () => {
    await assert.rejects(readImage(join(folder, 'none.jpg'), signal), { code: 'not_found' });
    await assert.rejects(readImage(join(folder, 'set/a.txt/x'), signal), { code: 'not_found' });
    await assert.rejects(readImage(folder, signal), { code: 'invalid_request', message: /EISDIR/ });
  });

  it('reports a folder without read permission', async () => {
    const closed = join(folder, 'closed');
    await mkdir(closed, { mode: 0 });
    await chmod(folder, 0o711);
    // The user root can read every file, so the test runs as another user.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      await assert.rejects(readImage(closed, signal), {
        code: 'invalid_request',
        message: "the folder can't be read (EACCES)",
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(closed, 0o700);
    }
  });

  it('stops reading at the maximum image size', async () => {
    const path = join(folder, 'huge.jpg');
    await writeFile(path, '');
    await truncate(path, MAX_IMAGE_BYTES + 1);
    await assert.rejects(readImage(path, signal), { code: 'image_too_large' });
  });

  it('refuses a pipe, a socket and a device immediately, and skips them in folders', async () => {
    const odd = join(folder, 'odd');
    await mkdir(odd);
    const [pipe, socket] = [join(odd, 'pipe.jpg'), join(odd, 'socket.jpg')];
    execFileSync('mkfifo', [pipe]);
    const server = createServer().listen(socket);
    await once(server, 'listening');
    await symlink(pipe, join(odd, 'link.jpg'));
    await symlink('/dev/zero', join(odd, 'zero.jpg'));
    try {
      for (const path of [pipe, socket, '/dev/zero', join(odd, 'link.jpg')])
        for (const read of [readImage(path, signal), readHead(path)])
          await assert.rejects(read, { code: 'invalid_request', message: /a pipe, a socket or a device/ });
      assert.deepEqual(await findImages([odd], { signal }), []);
    } finally {
      server.close();
    }
  });

  it('accepts a file that the shell passes as <( )', () => {
    const script = `const { readImage } = await import(process.argv[1]);
      console.log((await readImage(process.argv[2], new AbortController().signal)).byteLength);`;
    const module = new URL('../../../src/calibration/input-files/read-image.ts', import.meta.url).href;
    const command = `"$0" --import tsx --input-type=module -e "$1" "$2" <(printf abc)`;
    const told = execFileSync('bash', ['-c', command, process.execPath, script, module], {
      encoding: 'utf8',
    });
    assert.equal(told.trim(), '3');
  });
});
