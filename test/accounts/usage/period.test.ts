// Tests the months and days by which usage is counted.
import assert from 'node:assert/strict';
import { countDays, dayOf, listDays, periodOf, readDay } from '../../../src/accounts/usage/period.js';

describe('the monthly usage period', () => {
  it('is the calendar month in UTC, from its first millisecond to the last one before the next month', () => {
    for (const now of ['2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'])
      assert.deepEqual(periodOf(new Date(now)), {
        name: '2026-12',
        start: new Date('2026-12-01T00:00:00Z'),
        end: new Date('2027-01-01T00:00:00Z'),
      });
    assert.equal(periodOf(new Date('2027-01-01T00:00:00.000Z')).name, '2027-01');
  });

  it('consists of days in UTC, and dates that do not exist are refused', () => {
    assert.equal(dayOf(new Date('2026-02-28T23:59:59.999Z')), '2026-02-28');
    assert.deepEqual(readDay('2028-02-29'), new Date('2028-02-29T00:00:00Z'));
    for (const text of [
      '2026-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-1-1',
      '12026-01-01',
      '2026-01-011',
      '2026-01-01T00:00',
      '',
    ])
      assert.equal(readDay(text), null, text);
  });

  it('lists the days of a range including both ends, and no days for a reversed range', () => {
    const from = new Date('2028-02-28T12:00:00Z');
    const to = new Date('2028-03-01T13:00:00Z');
    assert.equal(countDays(from, to), 3);
    assert.deepEqual(listDays(from, to), ['2028-02-28', '2028-02-29', '2028-03-01']);
    assert.deepEqual(listDays(from, from), ['2028-02-28']);
    assert.ok(countDays(to, from) <= 0);
    assert.deepEqual(listDays(to, from), []);
  });
});
