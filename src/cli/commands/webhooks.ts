// `telltale webhooks`: managing the addresses to which the service sends an account's events.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { listAccounts, requireAccount } from '../../accounts/accounts.js';
import { dayOf } from '../../accounts/usage/period.js';
import { loadConfig } from '../../config.js';
import type { Database } from '../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { openQueue, type Queue } from '../../storage/queue/queue.js';
import type { Terminal } from '../terminal/terminal.js';
import {
  DELIVERY_JOBS,
  findDelivery,
  listDeliveries,
  presentDelivery,
  sendTest,
  type Delivery,
} from '../../service/webhooks/deliveries.js';
import {
  changeEvents,
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  presentEndpoint,
  presentNewEndpoint,
  requirePostgres,
  rotateSecret,
  type Endpoint,
  type NewEndpoint,
  EVENT_TYPES,
  type EventType,
} from '../../service/webhooks/endpoints.js';
import { fetcherOf } from '../../service/outbound/guarded-agent.js';
import type { FetchAllow } from '../../service/outbound/fetch-allow.js';
import { readChoice, tableLines, UsageError, type Command, type ExitStatus, print } from './command.js';
import { openAccount, withDatabase } from './open-database.js';

const HELP = `Usage: telltale webhooks create --account NAME --url ADDRESS [--events LIST]
       telltale webhooks list [--account NAME]
       telltale webhooks events ID --events LIST
       telltale webhooks rotate | enable | delete | test | log ID

Webhooks send events about scans, quotas, keys and appeals to an address, signed
as Standard Webhooks specifies. They need PostgreSQL and 'telltale worker'.

create: prints the secret once. Creates the account if it is missing.
events: changes the events that the webhook receives.
rotate: prints a new secret. Both secrets sign for 24 hours.
enable: enables a webhook that was disabled after status 410 or 24 hours of
failures.
delete: deletes the webhook and its log.
test: sends a test event and waits up to 15 s for the result.
log: prints the last 50 deliveries, newest first.

  --url ADDRESS   https address on a public host
  --events LIST   some of ${EVENT_TYPES.slice(0, 3).join(',')},
                  ${EVENT_TYPES.slice(3).join(',')} (default: all)
  --json          print JSON

Exit status: 0 done, 1 failed, 2 wrong usage.`;

const OPTIONS = {
  account: { type: 'string' },
  url: { type: 'string' },
  events: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

const TEST_WAIT_MS = 15_000;
const POLL_MS = 250;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values'];

/** Database, settings and options that an action uses. */
interface WebhookDeps {
  readonly database: Database;
  /** Address of the database that holds the queue of events. */
  readonly queueUrl: string;
  readonly allow: FetchAllow | null;
  readonly values: Values;
  readonly terminal: Terminal;
}

/** Actions on one webhook, by name. Each takes the webhook's identifier. */
const ACTIONS: Readonly<Record<string, (deps: WebhookDeps, id: string) => Promise<ExitStatus>>> = {
  async events(deps, id) {
    const events = chosenEvents(deps.values);
    if (!events) throw new UsageError('Expected --events for events');
    return printOne(deps, await changeEvents(deps.database, id, events));
  },
  async rotate(deps, id) {
    return printSecret(deps, await rotateSecret(deps.database, id));
  },
  async enable(deps, id) {
    return printOne(deps, await enableEndpoint(deps.database, id));
  },
  async delete(deps, id) {
    await deleteEndpoint(deps.database, id);
    return print(deps.terminal, deps.values.json, { id }, [`${id} is deleted`]);
  },
  async log(deps, id) {
    await findEndpoint(deps.database, id);
    const { rows: deliveries } = await listDeliveries(deps.database, id);
    return print(
      deps.terminal,
      deps.values.json,
      deliveries.map(presentDelivery),
      describeDeliveries(deliveries),
    );
  },
  test,
};

export const webhooksCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [action = '', id, ...rest] = positionals;
    const act = chooseAction(action, id, rest);
    const config = loadConfig();
    const queueUrl = requirePostgres(config.database.kind === 'postgres' ? config.database.url : null);
    const { allow = null } = fetcherOf(config);
    try {
      return await withDatabase(config, (database) => act({ database, queueUrl, allow, values, terminal }));
    } catch (error) {
      const isMistake = error instanceof CheckError && /^(invalid_url|url_not_public)$/.test(error.code);
      throw isMistake ? new UsageError(error.message) : error;
    }
  },
};

function chooseAction(action: string, id: string | undefined, rest: readonly string[]) {
  const withId = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (withId && id !== undefined && rest.length === 0) return (deps: WebhookDeps) => withId(deps, id);
  if (action === 'create' && id === undefined) return create;
  if (action === 'list' && id === undefined) return list;
  throw new UsageError(`Expected 'create', 'list' or one of ${Object.keys(ACTIONS).join(', ')} with an ID`);
}

function chosenEvents({ events }: Values): EventType[] | undefined {
  return events?.split(',').map((type) => readChoice('--events', type, EVENT_TYPES));
}

function printOne(deps: WebhookDeps, endpoint: Endpoint): Promise<ExitStatus> {
  return print(deps.terminal, deps.values.json, presentEndpoint(endpoint), describe([endpoint]));
}

async function create(deps: WebhookDeps): Promise<ExitStatus> {
  const { account, url } = deps.values;
  if (account === undefined || url === undefined)
    throw new UsageError('Expected --account and --url for create');
  const events = chosenEvents(deps.values);
  const { id: accountId } = await openAccount(deps.database, account, deps.terminal);
  const newEndpoint = { accountId, url, allow: deps.allow, ...(events && { events }) };
  return printSecret(deps, await createEndpoint(deps.database, newEndpoint));
}

async function list(deps: WebhookDeps): Promise<ExitStatus> {
  const { account } = deps.values;
  const names = new Map((await listAccounts(deps.database)).map(({ id, name }) => [id, name]));
  const selectedAccount = account === undefined ? null : await requireAccount(deps.database, account);
  const endpoints = await listEndpoints(deps.database, selectedAccount?.id);
  const nameOf = ({ accountId }: Endpoint): string => names.get(accountId) ?? '';
  return print(
    deps.terminal,
    deps.values.json,
    endpoints.map((endpoint) => ({ ...presentEndpoint(endpoint), account: nameOf(endpoint) })),
    describe(endpoints, nameOf),
  );
}

async function test(deps: WebhookDeps, id: string): Promise<ExitStatus> {
  const { database, terminal } = deps;
  const endpoint = await findEndpoint(database, id);
  const testDelivery = await withQueue(deps.queueUrl, (queue) => sendTest(database, queue, endpoint));
  const delivery = await waitUntilTried(database, testDelivery, terminal.signal);
  await print(deps.terminal, deps.values.json, presentDelivery(delivery), describeDeliveries([delivery]));
  if (delivery.tries === 0)
    await terminal.err.writeLine("No worker has sent it yet. Is a 'telltale worker' running?");
  return delivery.state === 'delivered' ? 0 : 1;
}

/** Waits until a test event was sent or the waiting time is over. Returns the state of its delivery. */
async function waitUntilTried(
  database: Database,
  testDelivery: Delivery,
  signal: AbortSignal,
): Promise<Delivery> {
  const end = Date.now() + TEST_WAIT_MS;
  let delivery = testDelivery;
  while (delivery.tries === 0 && Date.now() < end && !signal.aborted) {
    await setTimeout(POLL_MS);
    delivery = (await findDelivery(database, testDelivery.id)) ?? delivery;
  }
  return delivery;
}

export async function withQueue<T>(url: string, work: (queue: Queue) => Promise<T>): Promise<T> {
  // Errors of the queue are ignored here, because calls that need the queue reject.
  const queue = await openQueue(url, () => undefined);
  try {
    await queue.define(DELIVERY_JOBS);
    return await work(queue);
  } finally {
    await queue.close();
  }
}

async function printSecret(deps: WebhookDeps, endpoint: NewEndpoint): Promise<ExitStatus> {
  const hint = `This is the only time the secret of ${endpoint.id} is shown.`;
  return print(deps.terminal, deps.values.json, presentNewEndpoint(endpoint), [endpoint.secret, hint]);
}

function describe(endpoints: readonly Endpoint[], nameOf?: (endpoint: Endpoint) => string): string[] {
  return tableLines(
    ['id', 'events', 'since', 'state', 'url', ...(nameOf ? ['account'] : [])],
    endpoints.map((endpoint) => [
      endpoint.id,
      endpoint.events.join(','),
      dayOf(endpoint.createdAt),
      stateOf(endpoint),
      endpoint.url,
      ...(nameOf ? [nameOf(endpoint)] : []),
    ]),
  );
}

function stateOf({ disabledAt, disabledReason, failingSince }: Endpoint): string {
  if (disabledAt) return `disabled: ${disabledReason ?? ''}`;
  return failingSince ? `fails since ${failingSince.toISOString()}` : 'works';
}

function describeDeliveries(deliveries: readonly Delivery[]): string[] {
  return tableLines(
    ['id', 'created', 'event', 'state', 'tries', 'answer', 'next try'],
    deliveries.map(({ id, type, state, tries, createdAt, lastStatus, lastError, nextTryAt }) => [
      id,
      createdAt.toISOString(),
      type,
      state,
      String(tries),
      lastError ?? (lastStatus === null ? 'not tried yet' : `status ${lastStatus}`),
      nextTryAt?.toISOString() ?? '',
    ]),
  );
}
