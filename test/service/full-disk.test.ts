// Tests a full disk below everything that the service writes: log, database and stored images.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLog } from '../../src/service/log.js';
import { makeFolder } from '../support/folders.js';
import { SCENE_JPEG } from '../support/images.js';
import { assertError, postForm, send } from '../support/service.js';
import { ROOT, runTelltale } from '../support/telltale.js';

const CLI = join(ROOT, 'dist/cli/main.js');
/**
 * Mounts a small disk at $1, which only the following program can see, and sends that program's log to the
 * disk.
 */
const MOUNT = 'mount -t tmpfs -o size=24m none "$1" && d=$1 && shift && exec "$@" 2>>"$d/log"';

describe('logging to a full disk', () => {
  it('drops and counts log lines, and continues when there is free space', async () => {
    const fd = openSync('/dev/full', 'w');
    const { log, lostLines } = createLog({ logLevel: 'info' }, fd);
    for (let line = 0; line < 5000; line += 1) {
      log.info({ line, text: 'x'.repeat(100) }, 'request');
      if (line % 500 === 0) await setTimeout(1);
    }
    assert.ok(lostLines() > 1000, String(lostLines()));
    closeSync(fd);
  });

  it('neither makes a command fail nor delays its exit', async () => {
    const ended = spawnSync('sh', ['-c', `exec "$0" "$1" nope 2>/dev/full`, process.execPath, CLI]);
    assert.equal(ended.status, 2);
    const full = spawnSync('sh', ['-c', `exec "$0" "$1" --version >/dev/full`, process.execPath, CLI]);
    assert.equal(full.status, 1);
    assert.equal(String(full.stderr), "telltale: standard output can't be written (ENOSPC)\n");
    assert.equal((await runTelltale(['--version'])).status, 0);
  });
});

describe('the service on a full disk', () => {
  const folder = makeFolder('full');
  let child: ChildProcess | undefined;

  before(function () {
    // Some machines do not allow a program to mount a disk.
    const probe = spawnSync('unshare', ['-rm', 'sh', '-c', MOUNT, 'sh', folder, 'true']);
    if (probe.status !== 0) this.skip();
  });

  after(() => {
    if (child?.exitCode === null) child.kill('SIGKILL');
  });

  it('refuses checks and reports that the service is not ready, and serves again when there is free space', async () => {
    const env = { ...process.env, TELLTALE_DATA_DIR: folder };
    const program = [process.execPath, CLI, 'serve', '--port', '0', '--demo'];
    child = spawn('unshare', ['-rm', 'sh', '-c', MOUNT, 'sh', folder, ...program], { env });
    const { url, key } = await greeting(child);
    const metric = async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^telltale_log_lines_lost_total (\d+)/m.exec(text)?.[1]);
    };
    assert.equal((await send(`${url}/readyz`)).status, 200);
    const stored = await postForm(`${url}/v1/check`, key, 'file', [SCENE_JPEG], { store: 'true' });
    assert.equal(stored.status, 200, stored.text);
    assert.equal(await metric(), 0);

    // Path of the disk in the view of the service's process.
    const filler = join(`/proc/${child.pid}/root`, folder, 'filler');
    fill(filler);
    assertError(await notReady(url), 503, 'unavailable');
    const refused = await postForm(`${url}/v1/check`, key, 'file', [SCENE_JPEG], { store: 'true' });
    assertError(refused, 503, 'unavailable');
    for (let call = 0; call < 40 && (await metric()) === 0; call += 1)
      await Promise.all(Array.from({ length: 50 }, () => fetch(`${url}/${'x'.repeat(190)}`)));
    assert.ok((await metric()) > 0);
    assert.equal((await send(`${url}/healthz`)).status, 200);

    rmSync(filler);
    assert.equal((await ready(url)).status, 200);
    const after = await postForm(`${url}/v1/check`, key, 'file', [SCENE_JPEG], { store: 'true' });
    assert.equal(after.status, 200, after.text);
    fill(filler);
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 0);
  });
});

/** Reads the service's address and the demo key from its output. */
async function greeting(child: ChildProcess): Promise<{ url: string; key: string }> {
  let output = '';
  for await (const text of child.stdout!.setEncoding('utf8') as AsyncIterable<string>) {
    output += text;
    const url = /serves on (\S+)/.exec(output)?.[1];
    const key = /tt_live_\w+/.exec(output)?.[0];
    if (url !== undefined && key !== undefined && output.includes('Console:')) return { url, key };
  }
  throw new Error(`serve ended: ${output}`);
}

/** Waits until the service reports that it is not ready. It updates this once a second. */
async function notReady(url: string) {
  let answer = await send(`${url}/readyz`);
  for (let call = 0; call < 100 && answer.status === 200; call += 1) {
    await setTimeout(100);
    answer = await send(`${url}/readyz`);
  }
  return answer;
}

async function ready(url: string) {
  let answer = await send(`${url}/readyz`);
  for (let call = 0; call < 100 && answer.status !== 200; call += 1) {
    await setTimeout(100);
    answer = await send(`${url}/readyz`);
  }
  return answer;
}

function fill(path: string): void {
  const fd = openSync(path, 'w');
  try {
    for (const size of [65_536, 4096, 1]) {
      const piece = Buffer.alloc(size);
      try {
        for (;;) writeSync(fd, piece);
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      }
    }
  } finally {
    closeSync(fd);
  }
}
