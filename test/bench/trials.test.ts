// Tests benchmark measurements (trials): failed ones are stored, disturbed ones repeated, and their processes
// end.
import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchHealth } from '../../bench/load/http-closed-loop.js';
import { hasVariable, killMarked, takeSnapshot, type Process } from '../../bench/machine/processes.js';
import type { TrialSettings } from '../../bench/trials/kinds.js';
import { NotMeasured, Runner, runInProcess, TRIAL_MARK, TRIAL_PROCESS } from '../../bench/trials/runner.js';
import { fixture } from '../support/telltale.js';

const quiet = (): void => undefined;

/** Returns a watch that reports these shares of processor time used by other programs, one per attempt. */
function watchOf(...shares: number[]) {
  let laps = 0;
  return { lap: () => (laps++ % 2 === 0 ? 0 : (shares.shift() ?? 0)) };
}

describe('a failed benchmark measurement', () => {
  it('is stored with its reason, and the following measurements still run', async () => {
    const runner = new Runner(quiet, null, (_kind, settings) =>
      (settings as { runs: number }).runs === 1
        ? Promise.reject(new Error('connection reset'))
        : Promise.resolve({ timesMs: [1] } as never),
    );
    assert.equal(await runner.run('cold-start', 'a', 'cold-start', { file: '', runs: 1 }), null);
    assert.ok(await runner.run('cold-start', 'b', 'cold-start', { file: '', runs: 2 }));
    assert.deepEqual(
      runner.rows.map(({ name, failure, skipped }) => [name, failure, skipped]),
      [
        ['a', 'connection reset', null],
        ['b', null, null],
      ],
    );
  });

  it('differs from a measurement that is impossible on this machine', async () => {
    const runner = new Runner(quiet, null, () => Promise.reject(new NotMeasured('no GPU')));
    assert.equal(await runner.run('gpu', 'a', 'cold-start', { file: '', runs: 1 }), null);
    assert.deepEqual(
      runner.rows.map(({ failure, skipped }) => [failure, skipped]),
      [[null, 'no GPU']],
    );
  });
});

describe('a benchmark measurement disturbed by other programs', () => {
  const count = async (most: number, ...shares: number[]) => {
    let attempts = 0;
    const runTrial = () => Promise.resolve({ timesMs: [++attempts] } as never);
    const runner = new Runner(quiet, watchOf(...shares), runTrial, most);
    const result = await runner.run('cold-start', 'a', 'cold-start', { file: '', runs: 1 });
    const [row, ...more] = runner.rows;
    assert.deepEqual(more, []);
    return { attempts, kept: result?.timesMs[0], repeats: row?.repeats, others: row?.load?.others };
  };

  it('is repeated at most twice, and the least disturbed attempt counts', async () => {
    assert.deepEqual(await count(2, 0.1), { attempts: 1, kept: 1, repeats: 0, others: 0.1 });
    assert.deepEqual(await count(2, 0.5, 0.2), { attempts: 2, kept: 2, repeats: 1, others: 0.2 });
    assert.deepEqual(await count(2, 0.9, 0.4, 0.6, 0), { attempts: 3, kept: 2, repeats: 2, others: 0.4 });
  });

  it('is not repeated in a quick run', async () => {
    assert.deepEqual(await count(0, 0.9, 0), { attempts: 1, kept: 1, repeats: 0, others: 0.9 });
  });
});

describe('health checks of a service under load', () => {
  it('count a reset connection as a failure and continue', async () => {
    let asked = 0;
    let enough = quiet;
    const answered = new Promise<void>((resolve) => (enough = resolve));
    const server = createServer((request, response) => {
      asked += 1;
      if (asked === 1) request.socket.destroy();
      else response.end();
      if (asked === 4) enough();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const health = watchHealth(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await answered;
    const { timesMs, failures } = await health.stop();
    server.close();
    server.closeAllConnections();
    assert.equal(failures, 1);
    assert.ok(timesMs.length >= 3);
  });
});

describe('processes started for a benchmark measurement', function () {
  this.timeout(300_000);
  const SETTINGS: TrialSettings<'http-closed'> = {
    target: 'node-baseline',
    device: null,
    body: 'multipart',
    files: [fixture('jpeg/scene.jpg')],
    connections: 1,
    seconds: 600,
    warmUpSeconds: 0,
  };

  const isThere = ({ pid, startTick }: Process): boolean =>
    takeSnapshot().processes.some((one) => one.pid === pid && one.startTick === startTick && !one.isEnded);

  async function waitFor<T>(look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await sleep(50);
    }
  }

  const isServer = ({ pid }: Process): boolean => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bench/baselines/node/server.ts');
    } catch {
      return false;
    }
  };

  /**
   * Finds the process of the running measurement, a child of this process, and the server that it started.
   */
  const findTrial = (): Promise<{ trial: Process; server: Process }> =>
    waitFor(() => {
      const { processes } = takeSnapshot();
      for (const server of processes.filter(isServer)) {
        const trial = processes.find(({ pid }) => pid === server.parent);
        if (trial?.parent === process.pid) return { trial, server };
      }
      return undefined;
    });

  it('end if the measurement is killed', async () => {
    const running = assert.rejects(runInProcess('http-closed', SETTINGS), /ended with signal SIGKILL/);
    const { trial, server } = await findTrial();
    process.kill(trial.pid, 'SIGKILL');
    await running;
    await waitFor(() => (isThere(server) ? undefined : true));
  });

  it('end together with the measurement if the benchmark process has ended', async () => {
    const mark = 'bench-is-gone';
    const child = fork(TRIAL_PROCESS, {
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, [TRIAL_MARK]: mark },
    });
    const ended = once(child, 'exit');
    child.send({ kind: 'http-closed', settings: SETTINGS });
    const { server } = await findTrial();
    child.disconnect();
    await ended;
    await waitFor(() => (isThere(server) ? undefined : true));
  });

  it('are found by a mark in their environment, even in a session of their own', async () => {
    const start = (mark: string) =>
      spawn('sh', ['-c', 'sleep 600 & wait'], {
        env: { ...process.env, [TRIAL_MARK]: mark },
        detached: true,
      });
    const [own, other] = [start('own'), start('other')];
    for (const [{ pid }, mark] of [
      [own, 'own'],
      [other, 'other'],
    ] as const)
      await waitFor(() => (hasVariable(pid!, TRIAL_MARK, mark) ? true : undefined));
    const ended = once(own, 'exit');
    killMarked(TRIAL_MARK, 'own');
    await ended;
    assert.equal(other.exitCode, null);
    killMarked(TRIAL_MARK, 'other');
    await once(other, 'exit');
  });
});
