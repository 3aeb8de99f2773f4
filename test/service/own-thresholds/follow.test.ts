// Tests a database with thresholds learned by an earlier version: the shipped ones apply, and one log line
// says so.
import assert from 'node:assert/strict';
import pino from 'pino';
import { ActiveCalibration } from '../../../src/library/check/thresholds/calibration.js';
import { startFollowing } from '../../../src/service/own-thresholds/follow.js';
import { pageThresholds, readActiveId } from '../../../src/service/own-thresholds/own-thresholds.js';
import { STEPS } from '../../../src/storage/db/migrate.js';
import { addThresholds, keenBands, shippedBands } from '../../support/cleared.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('thresholds that an earlier version learned', (databases) => {
  it('are replaced with the shipped thresholds at the start, and one log line says so', async () => {
    const database = await databases.open();
    const kept = await addThresholds(database, 'kept', keenBands('kept'));
    const row = { state: 'ready', made_by: 'op@desk.example', created_at: 1, bands: '{}' };
    await database.run(async (queries) => {
      await queries('corrections').insert([
        { ...row, id: 'cor_1', name: 'learned', adaptation: '{}' },
        { ...row, id: 'cor_2', name: 'fitted', adaptation: '{}', wanted: '{}' },
      ]);
      await queries('correction_in_force').insert({ slot: 1, correction_id: 'cor_1' });
      await STEPS.find(({ name }) => name === '0019-no-corrections')!.up(queries);
    });
    assert.deepEqual(
      (await pageThresholds(database)).rows.map(({ id }) => id),
      [kept],
    );
    const shipped = shippedBands();
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const engine = { model: shipped.model };
    for (const expected of [1, 1]) {
      const calibration = new ActiveCalibration(shipped);
      const stop = await startFollowing({ database, engine, calibration, log });
      assert.equal(calibration.current, shipped);
      await stop();
      assert.equal(lines.length, expected, lines.join(''));
    }
    assert.match(lines[0] ?? '', /a learned correction was active/);
    assert.equal(await readActiveId(database), null);
  });
});
