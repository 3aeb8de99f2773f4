// Tests `telltale config show`: every setting with its source, hidden secrets, and all errors at once.
import assert from 'node:assert/strict';
import { loadSettings } from '../../../src/config.js';
import { makeFolder } from '../../support/folders.js';
import { callTelltale } from '../../support/telltale.js';

type Shown = Record<string, { readonly value: unknown; readonly source: string }>;

describe('telltale config show', () => {
  const env = {
    TELLTALE_DATA_DIR: makeFolder('config'),
    TELLTALE_PORT: '9000',
    TELLTALE_DATABASE_URL: 'postgres://desk:hunter2@db/telltale?sslpassword=hunter2',
    TELLTALE_FETCH_PROXY: 'http://me:hunter2@proxy:3128',
    TELLTALE_PUBLIC_URL: 'https://telltale.example',
    TELLTALE_OIDC_ISSUER: 'https://id.example/staff',
    TELLTALE_OIDC_CLIENT_ID: 'telltale',
    TELLTALE_OIDC_CLIENT_SECRET: 'hunter2',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:hunter2@collector:4318',
  };

  it('shows each setting with its source, and hides secrets', async () => {
    const { stdout, status } = await callTelltale(['config', 'show', '--json'], { env });
    assert.equal(status, 0);
    const shown = JSON.parse(stdout) as Shown;
    assert.deepEqual(shown.TELLTALE_PORT, { value: 9000, source: 'environment' });
    assert.deepEqual(shown.TELLTALE_QUEUE, { value: 64, source: 'default' });
    assert.deepEqual(shown.TELLTALE_PROXIES, { value: 1, source: 'default' });
    assert.equal(shown.TELLTALE_DATABASE_URL?.value, 'postgres://desk:***@db/telltale?sslpassword=***');
    assert.equal(shown.TELLTALE_OIDC_CLIENT_SECRET?.value, '***');
    assert.equal(shown.OTEL_EXPORTER_OTLP_ENDPOINT?.value, 'https://me:***@collector:4318/v1/traces');
    const table = (await callTelltale(['config', 'show'], { env })).stdout;
    assert.match(table, /^SETTING +SOURCE +VALUE\n/);
    assert.match(table, /\nTELLTALE_PORT +environment +9000\n/);
    assert.match(table, /\nTELLTALE_BANDS +default +none\n/);
    for (const text of [stdout, table]) assert.ok(!text.includes('hunter2'));
  });

  it('shows a value for every setting', async () => {
    const { settings } = loadSettings({});
    const shown = JSON.parse((await callTelltale(['config', 'show', '--json'])).stdout) as Shown;
    for (const name of settings.names) {
      assert.ok(shown[name], name);
      assert.notEqual(shown[name].value, '***', `${name} has no value in src/cli/commands/config.ts`);
    }
  });

  it('prints all errors in the settings at once, like the service at startup', async () => {
    const bad = { TELLTALE_PORT: 'x', TELLTALE_SECURITY_CONTACT: 'security', TELLTALE_PROT: '1' };
    const { status, stdout, stderr } = await callTelltale(['config', 'show'], { env: bad });
    assert.deepEqual([status, stdout], [1, '']);
    for (const name of Object.keys(bad)) assert.ok(stderr.includes(name), name);
    for (const args of [['config'], ['config', 'set'], ['config', 'show', 'PORT']])
      assert.equal((await callTelltale(args)).status, 2, args.join(' '));
  });
});
