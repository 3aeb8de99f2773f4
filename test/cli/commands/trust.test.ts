// Tests `telltale trust` as users run it: printing the trust lists, and updating them from a mirror.
import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SIGNER_LIST, TIME_STAMP_LIST } from '../../../src/library/check/credentials/trust.js';
import { openCertificateShop, type CertificateShop } from '../../support/certificates.js';
import { makeFolder } from '../../support/folders.js';
import { callTelltale, runTelltale } from '../../support/telltale.js';

describe('telltale trust (manages lists of trusted signers)', () => {
  let shop: CertificateShop;
  let pem = '';
  let dir = '';
  let env: Readonly<Record<string, string>>;

  before(() => {
    shop = openCertificateShop();
    pem = shop.makeRoot('Mirror Root').certificate.toString();
  });

  beforeEach(() => {
    dir = makeFolder('trust');
    env = { TELLTALE_TRUST_DIR: dir };
  });

  after(() => shop.close());

  it('explains in "trust show" what to do if no trust list is installed', async () => {
    const { status, stdout } = await callTelltale(['trust', 'show'], { env });
    assert.equal(status, 0);
    assert.match(stdout, /no trust list is installed.*telltale trust update/);
    const json = await callTelltale(['trust', 'show', '--json'], { env });
    const { advice, ...shown } = JSON.parse(json.stdout) as { advice: string };
    assert.deepEqual(shown, { dir, can_verify: false, outdated: false, files: [] });
    assert.ok(stdout.includes(advice));
  });

  it('prints in "trust show" each file with tier and age, and each certificate with subject and expiry', async () => {
    await mkdir(join(dir, 'interim'));
    await writeFile(join(dir, SIGNER_LIST), pem);
    await writeFile(join(dir, 'interim', 'anchors.pem'), pem);
    const { stdout } = await callTelltale(['trust', 'show'], { env });
    assert.match(stdout, /C2PA-TRUST-LIST\.pem +official +signing +1 +folder +\d{4}-\d\d-\d\d +0\.0 days/);
    assert.match(stdout, /interim\/anchors\.pem +interim +signing +1/);
    assert.match(stdout, /20\d\d-\d\d-\d\d +Telltale Tests, Mirror Root/);
    const json = await callTelltale(['trust', 'show', '--json'], { env });
    const shown = JSON.parse(json.stdout) as {
      can_verify: boolean;
      files: { anchors: { expires: string }[] }[];
    };
    assert.equal(shown.can_verify, true);
    assert.ok(!Number.isNaN(Date.parse(shown.files[0]?.anchors[0]?.expires ?? '')));
  });

  it('explains in "trust show" the effect of an official list older than 180 days and how to update the list', async () => {
    const path = join(dir, SIGNER_LIST);
    await writeFile(path, pem);
    const before = await callTelltale(['trust', 'show'], { env });
    assert.doesNotMatch(before.stdout, /180 days/);
    const old = new Date(Date.now() - 181 * 86_400_000);
    await utimes(path, old, old);
    const { stdout } = await callTelltale(['trust', 'show'], { env });
    assert.match(
      stdout,
      new RegExp(
        `^the official list ${SIGNER_LIST} dates from ${old.toISOString().slice(0, 10)}, more than 180 days ago: ` +
          "signers added since then are unknown, .*'telltale trust update' once a day.*copy the files",
      ),
    );
  });

  it('prints in "trust show" the packaged trust lists if no folder is configured', async () => {
    const { stdout } = await callTelltale(['trust', 'show'], { env: { TELLTALE_DATA_DIR: dir } });
    assert.match(stdout, /C2PA-TRUST-LIST\.pem +official +signing +\d\d +package +\d{4}-\d\d-\d\d/);
    assert.match(stdout, /C2PA-TSA-TRUST-LIST\.pem +official +time stamp +\d\d +package/);
  });

  it('downloads both official lists from a mirror in "trust update"', async () => {
    const server = createServer((_request, response) => response.end(pem));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/c2pa`;
    const { status, stdout, stderr } = await runTelltale(['trust', 'update', '--from', mirror], { env });
    server.closeAllConnections();
    server.close();
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /C2PA-TRUST-LIST\.pem: 1 anchors? from/);
    assert.deepEqual((await readdir(dir)).sort(), [SIGNER_LIST, TIME_STAMP_LIST]);
  });

  it('reports each failed download in "trust update" and keeps the installed lists', async () => {
    await writeFile(join(dir, SIGNER_LIST), pem);
    const args = ['trust', 'update', '--from', 'http://127.0.0.1:47/'];
    const { status, stdout, stderr } = await callTelltale(args, { env });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(
      stderr,
      /C2PA-TRUST-LIST\.pem could not be fetched: no connection .*the list of \d{4}-\d\d-\d\d stays in use/,
    );
    assert.match(stderr, /C2PA-TSA-TRUST-LIST\.pem could not be fetched: .*none is installed/);
    assert.deepEqual(await readdir(dir), [SIGNER_LIST]);
    const json = await callTelltale([...args, '--json'], { env });
    assert.equal(json.status, 1);
    const { lists } = JSON.parse(json.stdout) as { lists: { updated: boolean }[] };
    assert.deepEqual(
      lists.map(({ updated }) => updated),
      [false, false],
    );
  });

  it('refuses a mirror address without TLS, and unknown arguments', async () => {
    for (const args of [
      ['update', '--from', 'http://mirror.example/'],
      ['update', '--from', 'x'],
      ['forget'],
      [],
    ]) {
      const { status } = await callTelltale(['trust', ...args], { env });
      assert.equal(status, 2, args.join(' '));
    }
  });
});
