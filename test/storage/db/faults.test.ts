// Tests database errors and their log lines, which name the statement but never its values.
import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { Database, Queries } from '../../../src/storage/db/database.js';
import { isUniqueViolation } from '../../../src/storage/db/faults.js';
import { describeOnEachDatabase } from '../../support/databases.js';

const SECRET = 'whsec_Not-For-The-Log';

describeOnEachDatabase('the handling of database errors', (bench) => {
  let database: Database;

  before(async () => {
    database = await bench.open();
    await database.run((queries) =>
      queries.schema.createTable('secrets', (table) => {
        table.string('secret').primary();
        table.integer('uses').notNullable();
      }),
    );
    await database.run((queries) => queries('secrets').insert({ secret: SECRET, uses: 1 }));
  });

  const faultOf = (action: (queries: Queries) => Promise<unknown>): Promise<unknown> =>
    database.run(action).then(
      () => assert.fail('it was to be refused'),
      (error: unknown) => error,
    );
  const logOf = (fault: unknown): string => {
    let text = '';
    pino({}, { write: (line: string) => (text += line) }).error(
      { err: fault, cause: fault },
      'request failed',
    );
    return text;
  };

  it('treats only errors of the database driver as database errors, and rethrows other errors unchanged', async () => {
    for (const mistake of [new Error('a mistake of ours'), new RangeError('out of range')]) {
      const thrown = async (): Promise<never> => {
        await Promise.resolve();
        throw mistake;
      };
      await assert.rejects(database.transaction(thrown), (error: unknown) => error === mistake);
      await assert.rejects(database.run(thrown), (error: unknown) => error === mistake);
      await assert.rejects(database.longTransaction(thrown), (error: unknown) => error === mistake);
    }
    const late = async (queries: Queries): Promise<void> => {
      await queries('secrets').select();
      throw Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' });
    };
    await assert.rejects(database.transaction(late), { code: 'ENOENT' });
  });

  it('reports the database as unavailable once the connections are closed', async () => {
    const closed = await bench.open();
    await closed.close();
    await assert.rejects(
      closed.run((queries) => queries('secrets').select()),
      { code: 'unavailable' },
    );
    await assert.rejects(
      closed.transaction(async (queries) => {
        await queries('secrets').select();
      }),
      { code: 'unavailable' },
    );
  });

  it('logs the failed SQL statement without its values', async () => {
    const twice = await faultOf((queries) => queries('secrets').insert({ secret: SECRET, uses: 1 }));
    assert.ok(isUniqueViolation(twice));
    assert.match(logOf(twice), /insert into .*secrets/);
    const faults = [
      twice,
      await faultOf((queries) => queries('secrets').insert({ secret: `${SECRET} 2`, uses: null })),
      await faultOf((queries) => queries('nowhere').where({ secret: SECRET }).select()),
    ];
    if (database.dialect === 'postgres')
      faults.push(await faultOf((queries) => queries('secrets').where({ uses: SECRET }).select()));
    for (const fault of faults) assert.ok(!logOf(fault).includes(SECRET), logOf(fault));
  });
});
