// Makes up accounts for the screenshots, with a month of usage.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ulid } from 'ulid';
import { createAccount } from '../src/accounts/accounts.js';
import { createKey } from '../src/accounts/keys.js';
import type { Database } from '../src/storage/db/database.js';
import { createEndpoint } from '../src/service/webhooks/endpoints.js';
import { makeLink, type Person } from '../test/support/browser.js';

const HOUR_MS = 3_600_000;

/** Person who is signed in on the screenshots. */
export const OPERATOR: Person = { account: 'Harbour Press', email: 'ines@harbour.example', role: 'operator' };

/** Creates accounts, keys, webhooks and a month of usage. Also checks `images` with a real key. */
export async function seed(opened: Database, url: string, images: readonly string[]): Promise<void> {
  await makeLink(opened, url, OPERATOR);
  const { key, accountId } = await createKey(opened, {
    account: OPERATOR.account,
    plan: 'growth',
    name: 'newsroom intake',
  });
  await createKey(opened, {
    account: OPERATOR.account,
    plan: 'growth',
    name: 'archive sweep',
    scopes: ['check'],
  });
  await createKey(opened, {
    account: OPERATOR.account,
    plan: 'growth',
    name: 'usage report',
    scopes: ['usage'],
    expiresAt: new Date(Date.now() + 40 * 86_400_000),
  });
  await createAccount(opened, 'Lantern Insurance', 'scale');
  await createAccount(opened, 'Bureau of Maps', 'starter');
  await makeLink(opened, url, { ...OPERATOR, email: 'tomas@harbour.example', role: 'member' }, 'invitation');
  for (const path of images) {
    const form = new FormData();
    form.append('file', new Blob([readFileSync(path)]), basename(path));
    await fetch(`${url}/v1/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
  }
  await seedUsage(opened, accountId);
  await seedWebhooks(opened, accountId);
}

/** Adds usage for each day of this month before today. */
async function seedUsage(opened: Database, accountId: string): Promise<void> {
  const today = new Date();
  let total = 0;
  for (let day = 1; day < today.getUTCDate(); day += 1) {
    const date = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), day));
    const isWeekend = [0, 6].includes(date.getUTCDay());
    const checks = Math.round((isWeekend ? 240 : 900) + 180 * Math.sin(day * 1.7));
    total += checks;
    const row = { account_id: accountId, plan: 'growth', day: date.toISOString().slice(0, 10), checks };
    await opened.run((queries) => queries('usage_days').insert(row));
  }
  await opened.run((queries) =>
    queries('usage_periods').where({ account_id: accountId }).increment('checks', total),
  );
}

/** Adds a webhook that receives events of scans, and one whose server has been unreachable for a while. */
async function seedWebhooks(opened: Database, accountId: string): Promise<void> {
  const told = await createEndpoint(opened, { accountId, url: 'https://hooks.harbour.example/telltale' });
  const away = await createEndpoint(opened, {
    accountId,
    url: 'https://archive.harbour.example/events',
    events: ['scan.finished'],
  });
  const now = Date.now();
  const dayAgo = now - 26 * HOUR_MS;
  const disabling = {
    failing_since: dayAgo,
    disabled_at: now - 2 * HOUR_MS,
    disabled_reason: 'no event could be delivered for 24 hours',
  };
  await opened.run((queries) => queries('webhook_endpoints').where({ id: away.id }).update(disabling));
  const past = [
    { endpoint: told, hoursAgo: 5.2, type: 'scan.progress', state: 'delivered', tries: 1, status: 204 },
    { endpoint: told, hoursAgo: 4.6, type: 'scan.progress', state: 'delivered', tries: 3, status: 204 },
    { endpoint: told, hoursAgo: 3.9, type: 'scan.finished', state: 'delivered', tries: 1, status: 204 },
    { endpoint: told, hoursAgo: 0.1, type: 'scan.finished', state: 'pending', tries: 2, status: 503 },
    { endpoint: away, hoursAgo: 26, type: 'scan.finished', state: 'failed', tries: 12, status: null },
  ];
  for (const { endpoint, hoursAgo, type, state, tries, status } of past) {
    const created = Math.round(now - hoursAgo * HOUR_MS);
    const isPending = state === 'pending';
    const error =
      status === null
        ? 'the connection was refused'
        : status >= 300
          ? `the address responded with status ${status}`
          : null;
    const row = {
      id: `whd_${ulid(created)}`,
      endpoint_id: endpoint.id,
      event_id: `evt_${ulid(created)}`,
      type,
      body: '{}',
      state,
      turn: tries,
      tries,
      last_status: status,
      last_error: error,
      created_at: created,
      last_tried_at: created + 1000,
      next_try_at: isPending ? now + 3 * 60_000 : null,
      give_up_at: created + 24 * HOUR_MS,
      ended_at: isPending ? null : created + 1000,
    };
    await opened.run((queries) => queries('webhook_deliveries').insert(row));
  }
}
