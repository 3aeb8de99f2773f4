import assert from 'node:assert/strict';
import { buildOrClose, Closers } from '../../src/service/open-parts.js';

describe('closing a service’s resources', () => {
  it('closes every resource, the newest first, even if one fails, and then rejects with that error', async () => {
    const closed: string[] = [];
    const closers = new Closers();
    closers.add(() => closed.push('database'));
    closers.add(() => Promise.reject(new Error('the queue is stuck')));
    closers.add(() => closed.push('server'));
    await assert.rejects(closers.close(), /the queue is stuck/);
    assert.deepEqual(closed, ['server', 'database']);
    await closers.close();
    assert.deepEqual(closed, ['server', 'database']);
  });

  it('rejects with all errors if closing several resources fails', async () => {
    const closers = new Closers();
    const [first, second] = [new Error('first'), new Error('second')];
    closers.add(() => {
      throw first;
    });
    closers.add(() => Promise.reject(second));
    await assert.rejects(closers.close(), (error: AggregateError) => {
      assert.deepEqual(error.errors, [second, first]);
      return true;
    });
  });
});

describe('a service that fails to start', () => {
  it('rejects with the start error, even if closing the resources opened so far fails too', async () => {
    const closed: string[] = [];
    const built = buildOrClose(async (closers) => {
      closers.add(() => closed.push('database'));
      closers.add(() => Promise.reject(new Error('already closed')));
      await Promise.reject(new Error('no models'));
    });
    await assert.rejects(built, /no models/);
    assert.deepEqual(closed, ['database']);
  });
});
