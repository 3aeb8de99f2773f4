// Tests which internal addresses an operator can allow, and which no setting allows in any notation.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../../src/config.js';
import {
  ALLOW_INSIDE,
  createFetchAllow,
  isInsideAddress,
  readEndpointUrl,
} from '../../../src/service/outbound/fetch-allow.js';
import { createImageFetcher } from '../../../src/service/outbound/fetch-image.js';
import { fetcherOf, readHostsFile, resolvePublicHost } from '../../../src/service/outbound/guarded-agent.js';
import { makeFolder } from '../../support/folders.js';

const EVERYTHING = createFetchAllow([
  '0.0.0.0/0',
  '::/0',
  'metadata.google.internal',
  '.internal',
  '.example',
]);

/** Cloud metadata services, and the same addresses in every IPv6 form that contains an IPv4 address. */
const METADATA = [
  '169.254.169.254', '169.254.170.2', '169.254.0.1', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd00:ec2::23',
  'fd20:ce::254', 'fd00:42::42', 'fe80::a9fe:a9fe', 'fe80::1%eth0', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '::169.254.169.254',
  '::ffff:0:169.254.169.254', '64:ff9b::169.254.169.254', '64:ff9b:1::a9fe:a9fe', '2002:a9fe:a9fe::1', '2001:0:a9fe:a9fe::1',
  '0.0.0.0', '224.0.0.1', '255.255.255.255', '::', 'ff02::1', '::ffff:10.0.0.1',
]; // prettier-ignore

/** Notations of 169.254.169.254 in web addresses. */
const SPELLINGS = [
  'http://169.254.169.254/', 'http://169.254.169.254./', 'http://2852039166/', 'http://0xA9FEA9FE/', 'http://0251.0376.0251.0376/',
  'http://169.254.43518/', 'http://0xa9.0xfe.0xa9.0xfe/', 'http://１６９.254.169.254/', 'http://169%2E254%2E169%2E254/',
  'http://[::ffff:169.254.169.254]/', 'http://[0:0:0:0:0:ffff:a9fe:a9fe]/', 'http://[64:ff9b::a9fe:a9fe]/', 'http://[fd00:ec2::254]/',
]; // prettier-ignore

const settle = async (
  host: string,
  allow: ReturnType<typeof createFetchAllow>,
  addresses: string[],
): Promise<unknown> =>
  resolvePublicHost(host, () => Promise.resolve(addresses), undefined, allow).catch(
    (error: unknown) => (error as { code: string }).code,
  );

describe('the setting TELLTALE_FETCH_ALLOW, which allows internal addresses', () => {
  it('allows the listed hosts, domain suffixes and networks, and nothing else', async () => {
    const allow = createFetchAllow([
      'nas',
      'pictures.corp.example',
      '.media.example',
      '10.1.0.0/16',
      'fd12::/16',
    ]);
    const cases: readonly [host: string, addresses: string[], isOpen: boolean][] = [
      ['nas', ['192.168.1.5'], true],
      ['NAS.', ['192.168.1.5'], true],
      ['pictures.corp.example', ['192.168.1.5', '8.8.8.8'], true],
      ['evil.pictures.corp.example', ['192.168.1.5'], false],
      ['a.media.example', ['127.0.0.1'], true],
      ['media.example', ['127.0.0.1'], false],
      ['evilmedia.example', ['127.0.0.1'], false],
      ['anything.example.org', ['10.1.2.3'], true],
      ['storage.internal', ['10.1.2.3', 'fd12::1'], true],
      ['storage.internal', ['10.2.0.1'], false],
      ['anything.example.org', ['10.1.2.3', '10.2.0.1'], false],
      ['anything.example.org', ['8.8.8.8'], true],
      ['10.1.0.1', [], true],
      ['10.2.0.1', [], false],
      ['fd12::1', [], true],
      ['fd13::1', [], false],
    ];
    for (const [host, addresses, isOpen] of cases)
      assert.equal(
        (await settle(host, allow, addresses)) !== 'url_not_public',
        isOpen,
        `${host} ${addresses.join()}`,
      );
    assert.equal(await settle('storage.internal', createFetchAllow(['nas']), ['8.8.8.8']), 'url_not_public');
  });

  it('never allows addresses of cloud metadata services, even if their network or name is listed', async () => {
    for (const address of METADATA) {
      assert.equal(isInsideAddress(address), false, address);
      assert.equal(await settle(address, ALLOW_INSIDE, []), 'url_not_public', address);
      assert.equal(EVERYTHING.hasAddress(address), false, address);
      assert.equal(
        await settle('metadata.google.internal', EVERYTHING, [address]),
        'url_not_public',
        address,
      );
    }
    assert.equal(await settle('two.example', EVERYTHING, ['10.0.0.1', '169.254.169.254']), 'url_not_public');
  });

  it('never allows cloud metadata addresses in any spelling', async () => {
    const fetcher = createImageFetcher({ allow: EVERYTHING, timeoutMs: 2000 });
    try {
      for (const spelling of SPELLINGS)
        await assert.rejects(
          fetcher.fetch(spelling, new AbortController().signal),
          { code: 'url_not_public' },
          spelling,
        );
    } finally {
      await fetcher.close();
    }
  });

  it('allows a single listed address, but not its neighbour', () => {
    const allow = createFetchAllow(['10.1.2.3', 'fd12::7']);
    assert.equal(allow.hasNetworks, true);
    const cases: readonly [address: string, isOpen: boolean][] = [
      ['10.1.2.3', true],
      ['10.1.2.2', false],
      ['fd12::7', true],
      ['fd12::6', false],
    ];
    for (const [address, isOpen] of cases) {
      assert.equal(allow.hasAddress(address), isOpen, address);
      assert.equal(allow.hasName(address), false, 'an address is no name');
    }
  });

  it('allows every internal address and name if its value is "all"', async () => {
    for (const address of [
      '8.8.8.8',
      '2606:4700::1',
      '10.1.2.3',
      '127.0.0.1',
      '::1',
      '100.64.0.1',
      'fd12::1',
    ]) {
      assert.deepEqual(await settle(address, ALLOW_INSIDE, []), [address]);
      for (const name of ['nas', 'nas.lan', 'a.internal'])
        assert.deepEqual(await settle(name, ALLOW_INSIDE, [address]), [address], name);
    }
    for (const address of ['fd12::1%eth0', '4000::1'])
      assert.equal(await settle(address, ALLOW_INSIDE, []), 'url_not_public', address);
  });

  it('looks up allowed names in the machine’s hosts file, and no other names', async () => {
    const path = join(makeFolder('hosts'), 'hosts');
    writeFileSync(path, '127.0.0.1\tlocalhost\n10.1.2.3 nas NAS.lan # a.lan\n::1 localhost\nnone a.lan\n');
    for (const [name, addresses] of [
      ['localhost', ['127.0.0.1', '::1']],
      ['nas.LAN.', ['10.1.2.3']],
      ['a.lan', []],
    ] as const)
      assert.deepEqual(await readHostsFile(name, path), addresses, name);
    assert.deepEqual(await readHostsFile('nas', '/nowhere'), []);
    const allow = createFetchAllow(['localhost']);
    assert.ok(((await settle('localhost', allow, ['10.0.0.1'])) as string[]).includes('127.0.0.1'));
    assert.equal(await settle('localhost', createFetchAllow(['nas']), []), 'url_not_public');
  });

  it('is read from the settings and refused if malformed', () => {
    const read = (text: string) => loadConfig({ TELLTALE_FETCH_ALLOW: text });
    assert.deepEqual(read(' NAS, .Corp.example,10.0.0.0/8 , ::1').fetchAllow, [
      'nas',
      '.corp.example',
      '10.0.0.0/8',
      '::1',
    ]);
    assert.equal(fetcherOf(loadConfig({})).allow, null);
    assert.equal(fetcherOf(read('nas')).allow?.hasName('nas'), true);
    for (const text of [
      '*',
      '*.corp.example',
      'http://nas',
      'nas:80',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0',
      '300.1.1.1',
      'a,,b',
      'fe80::1%eth0',
      '.',
    ])
      assert.throws(
        () => read(text),
        /Expected hosts, .suffixes and networks, with commas for TELLTALE_FETCH_ALLOW/,
        text,
      );
    for (const text of ['socks5://x:1', 'proxy:3128', 'http://proxy:3128/path'])
      assert.throws(() => loadConfig({ TELLTALE_FETCH_PROXY: text }), /TELLTALE_FETCH_PROXY/, text);
    assert.equal(
      loadConfig({ TELLTALE_FETCH_PROXY: 'http://u:p@proxy:3128' }).fetchProxy,
      'http://u:p@proxy:3128/',
    );
  });

  it('also applies to the addresses of webhooks', () => {
    const allow = createFetchAllow(['hooks.internal', '10.1.0.0/16']);
    for (const host of ['hooks.internal', '10.1.0.9', 'other.internal'])
      assert.equal(readEndpointUrl(`https://${host}/in`, allow).hostname, host);
    for (const host of ['10.2.0.1', '169.254.169.254', '[::ffff:10.1.0.9]'])
      assert.throws(() => readEndpointUrl(`https://${host}/in`, allow), { code: 'url_not_public' });
    assert.throws(() => readEndpointUrl('https://hooks.internal/in', null), { code: 'url_not_public' });
  });
});
