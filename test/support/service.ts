// Runs a real service in this process, with real engine, database and sockets, and sends requests to it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Static } from '@sinclair/typebox';
import { pino } from 'pino';
import { createKey, type KeyOptions } from '../../src/accounts/keys.js';
import { loadConfig, type Config, type DatabaseSetting } from '../../src/config.js';
import { openDatabase, type Database } from '../../src/storage/db/database.js';
import type { CheckResultSchema } from '../../src/library/check/result-schema.js';
import type { ErrorBody, UsageRecord } from '../../src/service/http/openapi/schemas.js';
import { startService, type ServiceOptions } from '../../src/service/service.js';
import { describeOnEachDatabase, makeMigratedFile } from './databases.js';
import { makeFolder } from './folders.js';

/** A running service for tests. */
export interface ServiceBench {
  readonly url: string;
  readonly database: Database;
  /** Logged lines. */
  readonly logged: string[];
  /** Creates an API key, by default with its own account and plan. */
  newKey(options?: Partial<KeyOptions>): Promise<string>;
  close(): Promise<void>;
}

/** Returns the settings of a service under test with its data in `dataDir`. */
export function testConfig(
  dataDir: string,
  database: DatabaseSetting,
  changes: Partial<Config> = {},
): Config {
  return {
    ...loadConfig({ TELLTALE_DATA_DIR: dataDir, TELLTALE_MODELS_DIR: process.env.TELLTALE_MODELS_DIR }),
    port: 0,
    threads: 2,
    logLevel: 'info',
    database,
    ...changes,
  };
}

/** Starts a service on a database. `sqlite` stands for a new SQLite database. */
export async function openBench(
  on: DatabaseSetting | 'sqlite' = 'sqlite',
  changes: Partial<Config> = {},
  options: ServiceOptions = {},
): Promise<ServiceBench> {
  const folder = makeFolder('service');
  const database = on === 'sqlite' ? { kind: on, path: join(folder, 'telltale.sqlite') } : on;
  if (on === 'sqlite') await makeMigratedFile(join(folder, 'telltale.sqlite'));
  const config = testConfig(folder, database, changes);
  const logged: string[] = [];
  const log = pino({ level: config.logLevel }, { write: (line: string) => void logged.push(line) });
  const service = await startService(config, { log, ...options });
  const opened = await openDatabase(database);
  let accounts = 0;
  return {
    url: service.url,
    database: opened,
    logged,
    async newKey(key = {}) {
      accounts += 1;
      const { key: text } = await createKey(opened, {
        account: `account ${Date.now()}.${accounts}`,
        plan: 'scale',
        ...key,
      });
      return text;
    },
    async close() {
      await service.stop();
      await opened.close();
    },
  };
}

/** Declares `tests` with a running service on SQLite, and again on PostgreSQL. */
export function describeServiceOnEachDatabase(
  title: string,
  tests: (bench: () => ServiceBench, kind: DatabaseSetting['kind']) => void,
  changes: Partial<Config> = {},
  options: ServiceOptions = {},
): void {
  describeOnEachDatabase(title, (databases, kind) => {
    let bench: ServiceBench | undefined;
    before(async () => {
      bench = await openBench(databases.setting(), changes, options);
    });
    after(() => bench?.close());
    tests(() => {
      assert.ok(bench);
      return bench;
    }, kind);
  });
}

/** A response whose body was read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: AnswerBody;
}

type Entry = Static<typeof CheckResultSchema> & Partial<Static<typeof ErrorBody>>;

/**
 * Fields of all response bodies together. A test reads the fields that it expects, and fails if they are
 * missing.
 */
type AnswerBody = Static<typeof CheckResultSchema> &
  Static<typeof UsageRecord> &
  Static<typeof ErrorBody> & { readonly results: readonly Entry[] };

/** Sends a request and reads the JSON of its response. */
export async function send(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as AnswerBody,
  };
}

/** Sends a POST request with a JSON body. */
export function postJson(
  url: string,
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Sends a POST request with a form: files under `name`, and fields. */
export function postForm(
  url: string,
  key: string,
  name: string,
  files: readonly Uint8Array[],
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const form = new FormData();
  for (const file of files) form.append(name, new Blob([new Uint8Array(file)]), 'picture.bin');
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  return send(url, { method: 'POST', headers: { authorization: `Bearer ${key}`, ...headers }, body: form });
}

/** Asserts that a response is an error in the documented format. */
export function assertError(answer: Answer, status: number, code: string, message?: RegExp): void {
  assert.equal(answer.status, status, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['error']);
  const { param, ...others } = answer.body.error;
  assert.deepEqual(Object.keys(others), ['code', 'message', 'request_id']);
  assert.ok(param === undefined || param.length > 0);
  assert.equal(answer.body.error.code, code, answer.text);
  if (message) assert.match(answer.body.error.message, message);
  assert.equal(others.request_id, answer.headers.get('x-request-id'));
}
