// Tests that the benchmark distinguishes its own processor time from other programs' time.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { OwnTime } from '../../bench/machine/other-work.js';
import {
  hasVariable,
  parseBusyTicks,
  parseProcess,
  takeSnapshot,
  type Process,
} from '../../bench/machine/processes.js';
import { openOwnTime, otherWork, watchOtherWork } from '../../bench/machine/other-work.js';

const made = (pid: number, parent: number, ticks: number, startTick = pid): Process => ({
  pid,
  parent,
  ticks,
  startTick,
  isEnded: false,
});

describe('process data read from Linux', () => {
  it('are parsed correctly, whatever characters a program name contains', () => {
    const fields = 'R 41 42 42 0 -1 4194304 7 8 9 10 100 20 3 4 20 0 1 0 5555 0 0';
    for (const name of ['node', 'a b', '(sd-pam) x)'])
      assert.deepEqual(parseProcess(`42 (${name}) ${fields}`), made(42, 41, 127, 5555));
  });

  it('contain the busy time of programs and of the host, without idle time and interrupts', () => {
    const text = 'cpu  100 20 30 9000 800 70 60 5 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n';
    assert.equal(parseBusyTicks(text), 155);
  });

  it('include the current process and its environment', () => {
    assert.ok(
      takeSnapshot().processes.some(({ pid, parent }) => pid === process.pid && parent === process.ppid),
    );
    // Linux shows the environment at the start of a process, so a variable that was set later would be
    // missing.
    const [name, value] = Object.entries(process.env).find(([, text]) => text && !text.includes('\n')) ?? [];
    assert.equal(hasVariable(process.pid, name ?? '', value ?? ''), true);
    assert.equal(hasVariable(process.pid, name ?? '', `${value} and more`), false);
    assert.equal(hasVariable(0, 'PATH', ''), false);
  });
});

describe('the measurement of the benchmark’s own processor time', () => {
  it('adds up a process and its descendants, in any order', () => {
    const own = new OwnTime(10, () => false);
    assert.equal(own.add([made(12, 11, 4), made(10, 1, 1), made(11, 10, 2), made(20, 1, 100)]), 7);
  });

  it('stays correct if a child process ends and Linux adds its time to the parent', () => {
    const own = new OwnTime(10, () => false);
    assert.equal(own.add([made(10, 1, 1), made(11, 10, 50)]), 51);
    assert.equal(own.add([made(10, 1, 52)]), 52);
  });

  it('includes background servers and their children, even after they end', () => {
    const own = new OwnTime(10, ({ pid }) => pid === 30);
    assert.equal(own.add([made(10, 1, 1), made(30, 1, 40), made(31, 30, 5), made(40, 1, 900)]), 46);
    assert.equal(own.add([made(10, 1, 2), made(30, 1, 47)]), 49);
    assert.equal(own.add([made(10, 1, 3)]), 50);
    assert.equal(own.add([made(10, 1, 3)]), 50);
  });

  it('decides once per process whether the process belongs to the benchmark, and again if its process id is reused', () => {
    const asked: number[] = [];
    const own = new OwnTime(10, ({ startTick }) => {
      asked.push(startTick);
      return startTick === 7;
    });
    for (const startTick of [5, 5, 7, 7]) own.add([made(10, 1, 0), made(30, 1, 10, startTick)]);
    assert.deepEqual(asked, [5, 7]);
  });
});

describe('the processor time of processes that a program started', function () {
  this.timeout(120_000);
  let pid = 0;
  after(() => pid > 0 && process.kill(pid));

  it('includes a background program whose parent has ended', async () => {
    const own = openOwnTime();
    // The limit on processor time ends the program even if this test is killed.
    const script = '(ulimit -t 10; while :; do :; done) > /dev/null 2>&1 & echo $!';
    pid = Number(execFileSync('sh', ['-c', script], { encoding: 'utf8' }));
    const find = (): Process | undefined => takeSnapshot().processes.find((one) => one.pid === pid);
    assert.notEqual(find()?.parent, process.pid);
    while ((find()?.ticks ?? 0) < 20) await new Promise((resolve) => setTimeout(resolve, 50));
    // One snapshot for all measurements, because each snapshot takes processor time of this process.
    const { processes } = takeSnapshot();
    const with_ = own.add(processes);
    const without = own.add(processes.filter((one) => one.pid !== pid));
    // The program's processor time still counts after the program has ended.
    assert.ok(without >= with_, `${without} after ${with_}`);
    const alone = openOwnTime();
    assert.ok(with_ - alone.add(processes) >= 20, 'it was counted');
  });
});

describe('the processor use of other programs during a benchmark', () => {
  const at = (atSeconds: number, busyTicks: number, ownTicks: number) => ({ atSeconds, busyTicks, ownTicks });

  it('is the busy time per core without the benchmark’s own', () => {
    assert.equal(otherWork(at(0, 1000, 500), at(10, 2500, 1400), 2), 0.3);
    assert.equal(otherWork(at(0, 0, 0), at(1, 100, 101), 2), 0);
    assert.ok(Number.isNaN(otherWork(at(1, 5, 5), at(1, 5, 5), 2)));
  });

  it('is measured from one call to the next', async () => {
    const watch = watchOtherWork();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const share = watch.lap();
    watch.stop();
    assert.ok(share >= 0 && share <= 1, `${share}`);
  });
});
