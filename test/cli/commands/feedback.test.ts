// Tests `telltale members` and `telltale feedback`: invitations, and reported verdicts as input of `models
// eval`.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDataset } from '../../../src/calibration/evaluation/dataset.js';
import { clientOf, callConsole, cookieOf, type ConsoleClient } from '../../support/console.js';
import { makeFolder } from '../../support/folders.js';
import { openBench } from '../../support/service.js';
import { serve } from '../../support/telltale-serve.js';
import { ROOT, callTelltale, runTelltale } from '../../support/telltale.js';

describe('telltale members and telltale feedback', () => {
  const folder = makeFolder('feedback');
  let env: Record<string, string>;

  before(() => {
    env = {
      TELLTALE_DATA_DIR: folder,
      TELLTALE_DATABASE_URL: `sqlite:${join(folder, 'a.sqlite')}`,
      TELLTALE_STORE_URL: join(folder, 'images'),
    };
  });

  it('invite, list and remove members, and refuse invalid email addresses and roles', async () => {
    const invite = (...args: string[]) =>
      callTelltale(['members', 'invite', '--account', 'acme', ...args], { env });
    const invited = await invite('--email', 'Ann@acme.example', '--role', 'owner', '--json');
    assert.equal(invited.status, 0, invited.stderr);
    assert.match(invited.stderr, /^telltale: the account 'acme' did not exist and was created\n/);
    const { url, email, role } = JSON.parse(invited.stdout) as Record<string, string>;
    assert.match(url!, /^http:\/\/127\.0\.0\.1:8080\/invitation#[\w-]{43}$/);
    assert.deepEqual([email, role], ['ann@acme.example', 'owner']);
    for (const args of [['--email', 'ann'], ['--email', 'a@b.example', '--role', 'chief'], []])
      assert.equal((await invite(...args)).status, 2);
    assert.equal((await callTelltale(['members', 'remove', 'nobody@acme.example'], { env })).status, 2);
    assert.equal((await callTelltale(['members', 'list', '--json'], { env })).stdout, '[]\n');
  });

  it('build invitation links from the public address, otherwise from the listening address with a note that it is a guess', async () => {
    const invite = async (more: Record<string, string> = {}) => {
      const names = ['--account', 'links', '--email', 'bob@links.example'];
      const { status, stdout, stderr } = await callTelltale(['members', 'invite', ...names], {
        env: { ...env, ...more },
      });
      assert.equal(status, 0, stderr);
      return { link: stdout.split('#')[0], stderr };
    };
    const data = { TELLTALE_DATA_DIR: join(folder, 'served') };
    const unserved = await invite({ ...data, TELLTALE_PORT: '9123' });
    assert.equal(unserved.link, 'http://127.0.0.1:9123/invitation');
    assert.match(
      unserved.stderr,
      /assumes .* http:\/\/127\.0\.0\.1:9123, the address of TELLTALE_HOST and TELLTALE_PORT/,
    );
    const served = await serve({ ...env, ...data });
    try {
      const found = await invite(data);
      assert.equal(found.link, `${served.url}/invitation`);
      assert.match(found.stderr, /the last address of 'telltale serve'; TELLTALE_PUBLIC_URL sets another/);
    } finally {
      await served.end();
    }
    for (const host of ['0.0.0.0', '[::]']) {
      writeFileSync(join(folder, 'served/served-url'), `http://${host}:9124\n`);
      assert.equal((await invite(data)).link, 'http://127.0.0.1:9124/invitation');
    }
    const named = await invite({ ...data, TELLTALE_PUBLIC_URL: 'https://telltale.example' });
    assert.equal(named.link, 'https://telltale.example/invitation');
    assert.equal(named.stderr, '');
    // The file with the service's address may be invalid. Its text is then not printed as an address.
    for (const text of ['javascript:alert(1)', 'http://127.0.0.1:1/\nx', '']) {
      writeFileSync(join(folder, 'served/served-url'), text);
      assert.equal((await invite(data)).link, 'http://127.0.0.1:8080/invitation', text);
    }
  });

  it('export reported images as CSV for "models eval", and count reported images that were not stored', async () => {
    const database = { kind: 'sqlite', path: join(folder, 'a.sqlite') } as const;
    const bench = await openBench(database, { store: { kind: 'folder', path: join(folder, 'images') } });
    try {
      const invited = await callTelltale(
        ['members', 'invite', '--account', 'acme', '--email', 'ann@acme.example', '--json'],
        { env },
      );
      const token = (JSON.parse(invited.stdout) as { url: string }).url.split('#')[1];
      const password = 'correct horse battery staple';
      await bench.newKey({ account: 'acme', plan: 'growth' });
      const entered = await callConsole(bench.url, 'POST', '/links/follow', { body: { token, password } });
      const client = clientOf(bench.url, cookieOf(entered));
      const image = readFileSync(join(ROOT, 'samples/portrait-face-swapped.jpg'));
      const kept = (await client.check(image, '?store=true')).body.id;
      const unkept = (await client.check(image)).body.id;
      const note = '=1+1, "quoted"\nand more';
      for (const [id, label] of [
        [kept, 'swapped'],
        [unkept, 'edited'],
      ] as const)
        assert.equal((await client.call('PUT', `/checks/${id}/report`, { label, note })).status, 204);
      const out = join(folder, 'reported');
      const exported = await runTelltale(['feedback', 'export', out, '--json'], { env });
      assert.equal(exported.status, 0, exported.stderr);
      assert.deepEqual(JSON.parse(exported.stdout), {
        file: join(out, 'feedback.csv'),
        pictures: 1,
        without_picture: 1,
        accounts: [{ name: 'acme', pictures: 1 }],
      });
      const [one, ...more] = await loadDataset([join(out, 'feedback.csv')], AbortSignal.timeout(10_000));
      assert.deepEqual(more, []);
      assert.deepEqual([one?.isAi, one?.group, one?.source], [true, 'swapped', 'acme']);
      assert.ok(existsSync(one!.path) && readFileSync(one!.path).equals(image));
      assert.match(readFileSync(join(out, 'feedback.csv'), 'utf8'), /"'=1\+1, ""quoted""\nand more"\r\n$/);
      assert.equal((await callTelltale(['feedback', 'export', out, '--account', 'none'], { env })).status, 2);
      assert.equal((await callTelltale(['feedback', 'import'], { env })).status, 2);
      await exportsAndErases(client, env, join(folder, 'exported'));
    } finally {
      await bench.close();
    }
  });
});

/** Tests exporting and erasing the account `acme`, which has one stored image. Erasing requires `--yes`. */
async function exportsAndErases(
  client: ConsoleClient,
  env: Record<string, string>,
  images: string,
): Promise<void> {
  const accounts = (...args: string[]) => callTelltale(['accounts', ...args], { env });
  const counted = await accounts('erase', 'acme');
  assert.match(counted.stdout, /^acme: would erase .*, 2 checks, 1 images, .*; --yes erases it for good\n$/);
  const exported = await accounts('export', 'acme', '--images', images);
  const tables = exported.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { table: string }).table);
  assert.equal(tables.filter((name) => name === 'checks').length, 2);
  assert.equal(readdirSync(images).length, 1);
  for (const args of [
    ['erase', 'nobody'],
    ['erase'],
    ['export', 'acme', '--yes'],
    ['list', '--images', images],
  ])
    assert.equal((await accounts(...args)).status, 2, args.join(' '));
  assert.equal((await client.call('GET', '/checks')).status, 200);
  const erased = await accounts('erase', 'acme', '--yes', '--json');
  assert.equal((JSON.parse(erased.stdout) as { erased: boolean }).erased, true, erased.stderr);
  assert.equal((await accounts('list', '--json')).stdout.includes('acme'), false);
  assert.equal((await client.call('GET', '/checks')).status, 401);
}
