// The bench's arithmetic of pictures a day, on numbers whose answers are known.
import assert from 'node:assert/strict';
import { tableOfDays } from '../../bench/groups/days.js';

describe('the table of pictures a day', () => {
  it('multiplies what one picture costs', () => {
    const { head, rows } = tableOfDays({
      checksPerCore: 1 / 0.7,
      transactions: 5,
      databaseMs: 10,
      bytesKept: 1000,
      logBytes: 2000,
      pictureBytes: 500_000,
    });
    for (const row of rows) assert.equal(row.length, head.length);
    assert.deepEqual(rows[1], ['1000000', '11.6', '11.6', '57.9', '0.12', '30.0', '2.00', '500']);
    assert.equal(rows[2]?.[2], '1157');
  });
});
