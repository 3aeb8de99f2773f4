// Tests verifyWebhook on signatures made by the official library.
import assert from 'node:assert/strict';
import { verifyWebhook } from '../../client/src/index.js';
import { newSecret, signMessage } from '../../src/service/webhooks/signature.js';
import { EVENT_TYPES, TEST_TYPE } from '../../src/service/webhooks/endpoints.js';
import { WebhookEvent } from '../../src/service/http/openapi/scan-schemas.js';

const [secret, other] = [newSecret(), newSecret()];
const body = '{"type":"webhook.test","timestamp":"2026-11-22T00:00:00.000Z","data":{"webhook":"whe_ä"}}';
const sign = (secrets: readonly string[], at = new Date()): Record<string, string> =>
  signMessage({ id: 'evt_1', body }, secrets, at);
const refused = { name: 'TelltaleError', code: 'invalid_webhook' };

describe('verifyWebhook of the client', () => {
  it('returns the event, whatever types the program uses for headers and body', async () => {
    const headers = sign([secret]);
    const capital = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const bytes = new TextEncoder().encode(body);
    for (const given of [headers, capital, new Headers(headers)])
      for (const sent of [body, bytes, Buffer.from(body), bytes.buffer])
        assert.deepEqual(await verifyWebhook(given, sent, secret), JSON.parse(body));
  });

  it('accepts a request if any of its signatures matches any of the secrets', async () => {
    assert.ok(await verifyWebhook(sign([other, secret]), body, secret));
    assert.ok(await verifyWebhook(sign([secret]), body, [other, secret]));
    const headers = sign([secret]);
    const odd = { ...headers, 'webhook-signature': `v1a,AAAA v1,!! v1, ${headers['webhook-signature']!}` };
    assert.ok(await verifyWebhook(odd, body, secret));
  });

  it('refuses a wrong body, identifier, time or secret, and an unknown signature version', async () => {
    const headers = sign([secret]);
    await assert.rejects(verifyWebhook(headers, `${body} `, secret), refused);
    await assert.rejects(verifyWebhook({ ...headers, 'webhook-id': 'evt_2' }, body, secret), refused);
    const second = String(Number(headers['webhook-timestamp']) + 1);
    await assert.rejects(verifyWebhook({ ...headers, 'webhook-timestamp': second }, body, secret), refused);
    await assert.rejects(verifyWebhook(headers, body, other), refused);
    await assert.rejects(verifyWebhook(headers, body, []), refused);
    const version = { ...headers, 'webhook-signature': headers['webhook-signature']!.replace('v1,', 'v2,') };
    await assert.rejects(verifyWebhook(version, body, secret), refused);
    for (const name of Object.keys(headers))
      await assert.rejects(verifyWebhook({ ...headers, [name]: undefined }, body, secret), refused);
  });

  it('refuses an event that is too old or from the future', async () => {
    for (const offMs of [-301_000, 302_000])
      await assert.rejects(
        verifyWebhook(sign([secret], new Date(Date.now() + offMs)), body, secret),
        refused,
      );
    const old = sign([secret], new Date(Date.now() - 301_000));
    assert.ok(await verifyWebhook(old, body, secret, { toleranceS: 400 }));
    for (const timestamp of ['', 'now', '-1', '1e9', 'NaN'])
      await assert.rejects(verifyWebhook({ ...old, 'webhook-timestamp': timestamp }, body, secret), refused);
  });

  it('reports a malformed secret', async () => {
    for (const none of ['', 'whsec_', 'whsec_!', secret.slice(6)])
      await assert.rejects(verifyWebhook(sign([secret]), body, none), TypeError);
  });

  it('has a TypeScript type for every event that the service sends', () => {
    const documented = [...JSON.stringify(WebhookEvent).matchAll(/"const":"([a-z.]+)"/g)].map(
      ([, type]) => type,
    );
    for (const type of [...EVENT_TYPES, TEST_TYPE]) assert.ok(documented.includes(type), type);
  });
});
