// Tests the trust folder (kinds, purposes and ages of lists) and the download of official lists.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCredentialReader } from '../../../../src/library/check/credentials/credentials.js';
import {
  canVerify,
  describeTrust,
  loadTrustList,
  MAX_TRUST_AGE_DAYS,
  SIGNER_LIST,
  TIME_STAMP_LIST,
} from '../../../../src/library/check/credentials/trust.js';
import { updateTrustLists } from '../../../../src/service/outbound/trust-update.js';
import { PACKAGE_TRUST_DIR } from '../../../../src/library/base/package-paths.js';
import { openCertificateShop, type CertificateShop } from '../../../support/certificates.js';
import { makeFolder } from '../../../support/folders.js';
import { ROOT } from '../../../support/telltale.js';

const GOOD = new AbortController().signal;
const BROKEN = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

let shop: CertificateShop;
let root: string;
let tsaRoot: string;
let dir: string;

before(() => {
  shop = openCertificateShop();
  root = shop.makeRoot('Root').certificate.toString();
  tsaRoot = shop.makeRoot('TSA Root').certificate.toString();
});

beforeEach(() => (dir = makeFolder('trust')));

after(() => shop.close());

describe('loading trust lists (certificates of trusted signers)', () => {
  it('derives the kind and the purpose of a list from its folder and file name', async () => {
    await writeFile(join(dir, SIGNER_LIST), root);
    await writeFile(join(dir, TIME_STAMP_LIST), tsaRoot + root);
    await writeFile(join(dir, 'ours.pem'), `# ours\n${root}`);
    await writeFile(join(dir, 'our-tsa.pem'), tsaRoot);
    await writeFile(join(dir, 'notes.txt'), root);
    await symlink(join(dir, 'ours.pem'), join(dir, 'interim-company-root.pem'));
    await mkdir(join(dir, 'interim'));
    await symlink(join(dir, 'ours.pem'), join(dir, 'interim', 'anchors.pem'));
    const { files } = await loadTrustList(dir);
    assert.deepEqual(
      files.map(({ name, tier, purpose, anchors }) => [name, tier, purpose, anchors.length]),
      [
        [SIGNER_LIST, 'official', 'signing', 1],
        [TIME_STAMP_LIST, 'official', 'time_stamp', 2],
        ['interim-company-root.pem', 'operator', 'signing', 1],
        ['our-tsa.pem', 'operator', 'time_stamp', 1],
        ['ours.pem', 'operator', 'signing', 1],
        [join('interim', 'anchors.pem'), 'interim', 'signing', 1],
      ],
    );
    assert.equal(files[0]?.anchors[0]?.subject, 'Telltale Tests, Root');
  });

  it('skips invalid certificates and counts them', async () => {
    await writeFile(join(dir, 'ours.pem'), BROKEN + root);
    const described = describeTrust(await loadTrustList(dir), new Date());
    assert.deepEqual(
      described.files.map(({ anchors, unreadable }) => [anchors, unreadable]),
      [[1, 1]],
    );
  });

  it('allows verification of signers only if a list other than the interim list contains certificates', async () => {
    assert.equal(canVerify(await loadTrustList(null)), false);
    assert.equal(canVerify(await loadTrustList(join(dir, 'missing'))), false);
    await writeFile(join(dir, TIME_STAMP_LIST), tsaRoot);
    await mkdir(join(dir, 'interim'));
    await writeFile(join(dir, 'interim', 'anchors.pem'), root);
    assert.equal(canVerify(await loadTrustList(dir)), false);
    await writeFile(join(dir, 'ours.pem'), root);
    assert.equal(canVerify(await loadTrustList(dir)), true);
  });

  it('reports the age of each list', async () => {
    await writeFile(join(dir, SIGNER_LIST), root);
    const inTwoDays = new Date(Date.now() + 2 * 86_400_000);
    assert.equal(describeTrust(await loadTrustList(dir), inTwoDays).files[0]?.age_days, 2);
  });

  it("reports an official list as outdated after 180 days, but never an operator's own list", async () => {
    const isOutdated = async (name: string, days: number): Promise<boolean> => {
      await writeFile(join(dir, name), root);
      return describeTrust(await loadTrustList(dir), new Date(Date.now() + days * 86_400_000)).outdated;
    };
    assert.equal(await isOutdated('ours.pem', 1000), false);
    assert.equal(await isOutdated(SIGNER_LIST, 179), false);
    assert.equal(await isOutdated(SIGNER_LIST, 181), true);
  });

  it('advises only on the most urgent problem, for the oldest list', async () => {
    const adviceAfter = async (days: number): Promise<string | null> =>
      describeTrust(await loadTrustList(dir), new Date(Date.now() + days * 86_400_000)).advice;
    assert.match((await adviceAfter(0)) ?? '', /^no trust list is installed/);
    await writeFile(join(dir, SIGNER_LIST), root);
    await writeFile(join(dir, TIME_STAMP_LIST), root);
    const before = new Date(Date.now() - 86_400_000);
    await utimes(join(dir, TIME_STAMP_LIST), before, before);
    assert.equal(await adviceAfter(1), null);
    const day = before.toISOString().slice(0, 10);
    assert.match(
      (await adviceAfter(181)) ?? '',
      new RegExp(`^the official list ${TIME_STAMP_LIST} dates from ${day}`),
    );
  });
});

describe('the maximum age of trust lists', () => {
  it('is equal in the code, the Prometheus alert and the documentation', () => {
    const days = String(MAX_TRUST_AGE_DAYS);
    for (const [file, pattern] of [
      ['deploy/prometheus/rules.yaml', /trust_list_age_days\) > (\d+)/],
      ['docs/metrics.md', /trust lists are over (\d+) days old/],
      ['docs/operating.md', /once they are (\d+) days old/],
    ] as const)
      assert.equal(pattern.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1], days, file);
  });
});

describe('the trust lists in the package', () => {
  const shippedIn = async (folder: string | null): Promise<readonly (readonly [string, boolean])[]> => {
    const { files } = await loadTrustList(folder, PACKAGE_TRUST_DIR);
    return files.map(({ name, shipped }) => [name, shipped] as const);
  };

  it('are the complete official lists described in lists.json', async () => {
    const text = await readFile(join(PACKAGE_TRUST_DIR, 'lists.json'), 'utf8');
    const { date, sha256 } = JSON.parse(text) as { date: string; sha256: Record<string, string> };
    const { files } = await loadTrustList(null, PACKAGE_TRUST_DIR);
    assert.deepEqual(files.map(({ name }) => name).sort(), Object.keys(sha256).sort());
    for (const file of files) {
      const bytes = await readFile(join(PACKAGE_TRUST_DIR, file.name));
      assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256[file.name]);
      assert.equal(file.updated.toISOString().slice(0, 10), date);
      assert.deepEqual([file.tier, file.unreadable, file.shipped], ['official', 0, true]);
      assert.ok(file.anchors.length > 20);
    }
  });

  it('contain no test certificate', async () => {
    const { files } = await loadTrustList(null, PACKAGE_TRUST_DIR);
    const subjects = files.flatMap(({ anchors }) => anchors.map(({ subject }) => subject));
    assert.deepEqual(
      subjects.filter((subject) => /\btest|example|sample/i.test(subject)),
      [],
    );
  });

  it('are used if no list is installed, and in addition to the operator’s files', async () => {
    const both = [
      [SIGNER_LIST, true],
      [TIME_STAMP_LIST, true],
    ];
    assert.deepEqual(await shippedIn(null), both);
    assert.deepEqual(await shippedIn(join(dir, 'missing')), both);
    await writeFile(join(dir, 'ours.pem'), root);
    assert.deepEqual(await shippedIn(dir), [...both, ['ours.pem', false]]);
  });

  it('are replaced only by a newer list of the same name', async () => {
    await writeFile(join(dir, SIGNER_LIST), root);
    assert.deepEqual(await shippedIn(dir), [
      [TIME_STAMP_LIST, true],
      [SIGNER_LIST, false],
    ]);
    await utimes(join(dir, SIGNER_LIST), new Date('2026-01-01'), new Date('2026-01-01'));
    assert.deepEqual(await shippedIn(dir), [
      [SIGNER_LIST, true],
      [TIME_STAMP_LIST, true],
    ]);
  });
});

describe('the download of the official trust lists', () => {
  /** Responses of the test server by path. A number stands for a status without a body. */
  const answers = new Map<string, string | number>();
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '') ?? 404;
    response
      .writeHead(typeof answer === 'number' ? answer : 200)
      .end(typeof answer === 'number' ? '' : answer);
  });
  let source: string;

  before((done) => {
    server.listen(0, '127.0.0.1', () => {
      source = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lists/`;
      done();
    });
  });

  after((done) => {
    server.closeAllConnections();
    server.close(done);
  });

  beforeEach(() => {
    answers.set(`/lists/${SIGNER_LIST}`, root).set(`/lists/${TIME_STAMP_LIST}`, tsaRoot);
  });

  it('installs both lists in a folder that it creates', async () => {
    const target = join(dir, 'data', 'trust');
    const updates = await updateTrustLists(target, source, GOOD);
    assert.deepEqual(
      updates.map((update) => 'anchors' in update && update.anchors),
      [1, 1],
    );
    assert.deepEqual((await readdir(target)).sort(), [SIGNER_LIST, TIME_STAMP_LIST]);
    assert.equal(await readFile(join(target, SIGNER_LIST), 'utf8'), root);
    assert.equal(canVerify(await loadTrustList(target)), true);
  });

  const faults: readonly [name: string, answer: string | number, fault: RegExp][] = [
    ['an HTML page', '<html>sign in</html>', /no certificate/],
    ['an empty body', '', /no certificate/],
    ['a list with a broken certificate', 'ROOT' + BROKEN, /1 of its certificates/],
    ['an error status', 503, /status 503/],
    ['too much data', 'x'.repeat(2_000_001), /over 2000000/],
  ];
  for (const [name, answer, fault] of faults) {
    it(`keeps the last good list if the server responds with ${name}, and installs the other list`, async () => {
      await writeFile(join(dir, SIGNER_LIST), 'the last good list');
      const text = typeof answer === 'string' ? answer.replace('ROOT', root) : answer;
      answers.set(`/lists/${SIGNER_LIST}`, text);
      const [signers, timeStamps] = await updateTrustLists(dir, source, GOOD);
      assert.ok(signers && 'fault' in signers);
      assert.match(signers.fault, fault);
      assert.ok(timeStamps && 'anchors' in timeStamps);
      assert.equal(await readFile(join(dir, SIGNER_LIST), 'utf8'), 'the last good list');
      assert.deepEqual((await readdir(dir)).sort(), [SIGNER_LIST, TIME_STAMP_LIST]);
    });
  }

  it('reports a failed connection', async () => {
    const [signers] = await updateTrustLists(dir, 'http://127.0.0.1:47/', GOOD);
    assert.ok(signers && 'fault' in signers);
    assert.match(signers.fault, /no connection \(ECONNREFUSED/);
    assert.deepEqual(await readdir(dir), []);
  });
});

describe('the reader of Content Credentials', () => {
  it('uses a trust list that was installed after the reader started', async () => {
    let now = 0;
    const reader = createCredentialReader({ trustDir: dir, now: () => now });
    const read = () => reader.read(Buffer.from('no image'), { format: 'png' });
    assert.equal(canVerify(await reader.trust()), false);
    await writeFile(join(dir, 'ours.pem'), root);
    await read();
    assert.equal(canVerify(await reader.trust()), false, 'the folder is not read for every image');
    now += 61_000;
    await read();
    assert.equal(canVerify(await reader.trust()), true);
    reader.close();
  });
});
