// Tests the limits of reading credentials: time, size and number, and a C2PA library that hangs or crashes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { READER_MEMORY_MB } from '../../../../src/library/engine/native/options.js';
import { ReadingWorker, type ReadingTask } from '../../../../src/library/check/credentials/reading-worker.js';
import { loadTrustList, pickAnchors } from '../../../../src/library/check/credentials/trust.js';
import { CAPTURED, openStudio, SIGNABLE, type Studio } from '../../../support/studio.js';

let studio: Studio;
let good: Buffer;
let hostile: Buffer;

before(async () => {
  studio = await openStudio();
  good = await studio.sign('png');
  hostile = await signDiamond(9);
});

after(() => studio.close());

/** Time limit in milliseconds that even a busy machine does not reach. */
const PATIENT_MS = 60_000;

async function taskOf(bytes: Buffer, timeoutMs = PATIENT_MS): Promise<ReadingTask> {
  const list = await loadTrustList(studio.trustDir);
  const anchors = (purpose: string) => pickAnchors(list, (file) => file.purpose === purpose);
  const signing = { official: [], operator: anchors('signing'), interim: [] };
  return {
    bytes,
    mimeType: 'image/png',
    manifest: null,
    trust: { signing, timeStamp: anchors('time_stamp') },
    timeoutMs,
  };
}

/**
 * Signs an image in which each level contains the level below twice, so that the library reads level n 2^n
 * times.
 */
async function signDiamond(levels: number): Promise<Buffer> {
  const { mimeType } = SIGNABLE.png;
  let bytes = await studio.sign('png');
  for (let level = 0; level < levels; level += 1) {
    const ingredients = (['parentOf', 'componentOf'] as const).map((relationship) => ({
      bytes,
      mimeType,
      relationship,
    }));
    bytes = await studio.sign('png', { actions: [], ingredients });
  }
  return bytes;
}

describe('a process that reads Content Credentials', () => {
  const worker = new ReadingWorker();

  after(() => worker.end());

  it('is killed if a hostile file keeps it busy too long, and a new process reads the next file', async () => {
    assert.equal((await worker.read(await taskOf(good)))?.state, 'verified');
    const found = await worker.read(await taskOf(hostile, 20));
    assert.equal(found?.state, 'unreadable');
    assert.deepEqual(found.validationCodes, ['telltale.readTimedOut']);
    assert.equal((await worker.read(await taskOf(good)))?.state, 'verified');
  });

  it('leads to the result "unreadable" if it crashes, and a new process reads the next file', async () => {
    const task = await taskOf(hostile);
    const fresh = new ReadingWorker();
    // The process id is determined before the read starts, so that the process can be killed before it
    // responds.
    const child = await processOf(fresh, await taskOf(good));
    const reading = fresh.read(task);
    process.kill(child, 'SIGSEGV');
    const found = await reading;
    assert.equal(found?.state, 'unreadable');
    assert.deepEqual(found.validationCodes, ['telltale.readerFailed']);
    assert.equal((await fresh.read(await taskOf(good)))?.state, 'verified');
    fresh.end();
  });

  it('is killed if a file exceeds the memory limit, and a new process reads the next file', async () => {
    const fresh = new ReadingWorker();
    const child = await processOf(fresh, await taskOf(good));
    const bytes = READER_MEMORY_MB * 1_000_000;
    const [, limit] = /^Max data size +(\d+) /m.exec(await readFile(`/proc/${child}/limits`, 'utf8')) ?? [];
    assert.ok(Number(limit) <= bytes && Number(limit) > 0.9 * bytes, limit);
    const found = await fresh.read(await taskOf(await readFile('test/fixtures/manifests/many_maps.png')));
    assert.deepEqual([found?.state, found?.validationCodes], ['unreadable', ['telltale.readerFailed']]);
    assert.equal((await fresh.read(await taskOf(good)))?.state, 'verified');
    fresh.end();
  });

  it('is replaced after a file that made its memory grow', async () => {
    const fresh = new ReadingWorker();
    const child = await processOf(fresh, await taskOf(good));
    const maps = Array.from({ length: 150_000 }, () => ({ a: 1 }));
    const large = await studio.sign('png', { assertions: { 'com.example.maps': { maps } } });
    assert.equal((await fresh.read(await taskOf(large)))?.state, 'verified');
    // A killed process needs some time to end.
    for (let tries = 0; tries < 500 && readingProcesses().includes(child); tries += 1) await setTimeout(20);
    assert.ok(!readingProcesses().includes(child));
    fresh.end();
  });

  it('receives no environment variables', async () => {
    const fresh = new ReadingWorker();
    const child = await processOf(fresh, await taskOf(good));
    const environment = await readFile(`/proc/${child}/environ`, 'utf8');
    const names = environment.split('\0').map((entry) => entry.split('=')[0] ?? '');
    assert.deepEqual(
      names.filter((name) => !/^(NODE_CHANNEL_\w+|TOKIO_WORKER_THREADS|MALLOC_ARENA_MAX|PWD)?$/.test(name)),
      [],
    );
    fresh.end();
  });
});

describe('the reader of Content Credentials', () => {
  it('leaves oversized files unread', async () => {
    const reader = await studio.openReader({ maxBytes: good.length - 1 });
    const found = await reader.read(good, { format: 'png' });
    assert.equal(found?.state, 'unreadable');
    assert.deepEqual(found.validationCodes, ['telltale.fileTooLarge']);
    const wide = await studio.openReader({ maxBytes: good.length });
    assert.equal((await wide.read(good, { format: 'png' }))?.state, 'verified');
  });

  it('skips a waiting file if its caller has disconnected', async () => {
    const bytes = await studio.sign('png');
    const [read, left, after] = await Promise.all([
      studio.reader.read(bytes, { format: 'png' }),
      studio.reader.read(bytes, { format: 'png' }, { signal: AbortSignal.abort() }),
      studio.reader.read(bytes, { format: 'png' }),
    ]);
    assert.deepEqual([read?.state, left?.state, after?.state], ['verified', 'unreadable', 'verified']);
    assert.deepEqual(left?.validationCodes, ['telltale.readTimedOut']);
  });

  it('stops waiting for a slow file when its signal aborts, and uses the process for the next file once it is free', async () => {
    const reader = await studio.openReader({ parallel: 1 });
    await reader.read(good, { format: 'png' });
    const processes = readingProcesses();
    const stop = new AbortController();
    const reading = reader.read(hostile, { format: 'png' }, { signal: stop.signal });
    setImmediate(() => stop.abort());
    const found = await reading;
    assert.deepEqual([found?.state, found?.validationCodes], ['unreadable', ['telltale.readTimedOut']]);
    assert.equal((await reader.read(good, { format: 'png' }))?.state, 'verified');
    assert.deepEqual(readingProcesses(), processes);
  });

  it('returns the right result for each of many concurrent files, and starts no more processes than allowed', async () => {
    const camera = await studio.sign('png', { actions: [CAPTURED] });
    const idle = readingProcesses().length;
    const reader = await studio.openReader({ parallel: 2 });
    const wanted = Array.from({ length: 9 }, (_, index) => index % 3 === 0);
    const reads = wanted.map((isAi) => reader.read(isAi ? good : camera, { format: 'png' }));
    const found = await Promise.all(reads);
    assert.equal(readingProcesses().length, idle + 2);
    assert.deepEqual(
      found.map((one) => one?.ai),
      wanted,
    );
    assert.ok(found.every((one) => one?.verified));
  });

  it('alternates between accounts, however many files of one account are waiting', async () => {
    const reader = await studio.openReader({ parallel: 1 });
    const order: string[] = [];
    const read = async (accountId: string): Promise<void> => {
      await reader.read(good, { format: 'png' }, { accountId });
      order.push(accountId);
    };
    const greedy = Array.from({ length: 7 }, () => read('greedy'));
    await Promise.all([...greedy, read('other')]);
    assert.deepEqual(order.slice(0, 3), ['greedy', 'other', 'greedy']);
    assert.equal(order.length, 8);
  });

  it('finds no manifest in a plain image or in a format that cannot contain one', async () => {
    assert.equal(await studio.reader.read(Buffer.from('BM'), { format: 'bmp' }), null);
    assert.equal(await studio.reader.read(await studio.picture('png'), { format: 'png' }), null);
  });

  it('reports a file that is not an image as unreadable', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('no image'), Buffer.alloc(100_000, 0xff)]) {
      const found = await studio.reader.read(bytes, { format: 'jpeg' });
      assert.ok(found === null || found.state === 'unreadable');
    }
  });

  it('aborts running reads when closed, and starts again on the next read', async () => {
    const reader = await studio.openReader({ parallel: 1 });
    await reader.read(good, { format: 'png' });
    const reading = reader.read(hostile, { format: 'png' });
    setImmediate(() => reader.close());
    assert.equal((await reading)?.state, 'unreadable');
    reader.close();
    assert.equal((await reader.read(good, { format: 'png' }))?.state, 'verified');
  });
});

/**
 * Returns the id of the process that a worker starts for its first read: the one that did not exist before.
 * The highest id would be wrong, because ids wrap around and other tests start such processes too.
 */
async function processOf(fresh: ReadingWorker, task: ReadingTask): Promise<number> {
  const before = readingProcesses();
  assert.equal((await fresh.read(task))?.state, 'verified');
  const [child, ...others] = readingProcesses().filter((pid) => !before.includes(pid));
  assert.ok(child !== undefined && others.length === 0);
  return child;
}

function readingProcesses(): number[] {
  const text = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]).toString();
  return (
    text
      .split('\n')
      // The test runner also has other child processes, such as its compiler.
      .filter((line) => line.includes('reading-process'))
      .map((line) => Number.parseInt(line, 10))
  );
}
