// Tests restoring a backup: the data folder is lost, and the service starts from the copy.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../support/folders.js';
import { SCENE_JPEG } from '../../support/images.js';
import { fixture, callTelltale, runTelltale, type Finished } from '../../support/telltale.js';
import { serve, type Served } from '../../support/telltale-serve.js';
import { modelsDir } from '../../support/test-models.js';

describe('telltale backup', function () {
  this.timeout(180_000);
  let folder: string;
  let data: string;
  let env: Record<string, string>;
  const started: Served[] = [];
  const start = async (): Promise<Served> => {
    const served = await serve(env);
    started.push(served);
    return served;
  };
  beforeEach(() => {
    folder = makeFolder('backup');
    data = join(folder, 'data');
    env = { TELLTALE_DATA_DIR: data };
  });
  afterEach(async () => {
    for (const served of started.splice(0)) await served.end('SIGKILL');
  });

  const backup = (...args: string[]): Promise<Finished> => callTelltale(['backup', ...args], { env });
  const newKey = async (): Promise<string> => {
    const made = await callTelltale(['keys', 'create', '--account', 'A', '--plan', 'scale', '--json'], {
      env,
    });
    return (JSON.parse(made.stdout) as { key: string }).key;
  };
  const ask = async ({ url }: Served, key: string, path: string, body?: Uint8Array): Promise<unknown> => {
    const form = new FormData();
    if (body) form.append('file', new Blob([new Uint8Array(body)]), 'scene.jpg');
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}${path}`, body ? { method: 'POST', headers, body: form } : { headers });
    assert.equal(answer.status, 200, await answer.clone().text());
    return answer.json();
  };

  it('copies a database while checks run; the copy contains keys, exact usage and verifiable records', async () => {
    const key = await newKey();
    const image = SCENE_JPEG;
    const before = await start();
    const checked = (await ask(before, key, '/v1/check?include=record&store=true', image)) as {
      details: { record: unknown };
    };
    const running = Array.from({ length: 6 }, () => ask(before, key, '/v1/check', image));
    const copy = join(folder, 'copy.sqlite');
    const taken = await runTelltale(['backup', copy, '--json'], { env });
    assert.equal(taken.status, 0, taken.stderr);
    assert.deepEqual((JSON.parse(taken.stdout) as { also: string[] }).also, [
      join(data, 'images'),
      modelsDir,
    ]);
    assert.equal(statSync(copy).mode & 0o777, 0o600);
    await Promise.all(running);
    await before.end();

    // Only the copy and the images are left. Checks made after the copy are lost.
    cpSync(join(data, 'images'), join(folder, 'images'), { recursive: true });
    rmSync(data, { recursive: true });
    mkdirSync(data);
    cpSync(copy, join(data, 'telltale.sqlite'));
    cpSync(join(folder, 'images'), join(data, 'images'), { recursive: true });

    const after = await start();
    const used = async (): Promise<number> =>
      ((await ask(after, key, '/v1/usage')) as { checks: { used: number } }).checks.used;
    const atCopy = await used();
    assert.ok(atCopy >= 1 && atCopy <= 7);
    await ask(after, key, '/v1/check', image);
    assert.equal(await used(), atCopy + 1);
    await after.end();
    const record = join(folder, 'record.json');
    writeFileSync(record, JSON.stringify(checked.details.record));
    const verified = await callTelltale(['record', 'verify', record, fixture('jpeg/scene.jpg')], { env });
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  });

  it('never overwrites a file, and removes the incomplete copy after a failure', async () => {
    const target = join(folder, 'copy.sqlite');
    assert.match((await backup(target)).stderr, /there is no database at/);
    await newKey();
    writeFileSync(target, 'mine');
    const there = await backup(target);
    assert.deepEqual({ status: there.status, out: there.stdout }, { status: 1, out: '' });
    assert.match(there.stderr, /copy\.sqlite exists already/);
    const nowhere = await backup(join(folder, 'missing', 'copy.sqlite'));
    assert.equal(nowhere.status, 1);
    assert.match(nowhere.stderr, /can't be written/);
    assert.deepEqual(readdirSync(folder).sort(), ['copy.sqlite', 'data']);
  });

  it('refuses a PostgreSQL database and names the tool to use instead, and requires exactly one target file', async () => {
    env.TELLTALE_DATABASE_URL = 'postgres://127.0.0.1/nothing';
    const postgres = await backup(join(folder, 'copy'));
    assert.equal(postgres.status, 1);
    assert.match(postgres.stderr, /pg_dump/);
    assert.equal((await backup()).status, 2);
  });
});
