// Tests the chart as Helm renders it with custom values. Skipped if Helm is not installed.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);
const CHART = join(ROOT, 'deploy/chart');

describe('the Helm chart with custom values', function () {
  this.timeout(60_000);
  const folder = makeFolder('chart');
  const helm = spawnSync('sh', ['-c', 'command -v helm'], { encoding: 'utf8' }).stdout.trim();
  before(function () {
    if (helm === '') this.skip();
  });

  const render = async (values: object, name = 'telltale'): Promise<string> => {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return (await run(helm, ['template', name, CHART, '--values', file])).stdout;
  };

  it('converts CPU quantities to whole threads and to resource requests', async () => {
    for (const [cores, threads, millicores] of [
      [4, 4, [2000, 200]],
      [1.5, 2, [750, 75]],
      ['500m', 1, [250, 25]],
      ['1m', 1, [1, 1]],
    ] as const) {
      const text = await render({ cores });
      assert.ok(text.includes(`TELLTALE_THREADS: "${threads}"\n`), `${cores}`);
      const requests = [...text.matchAll(/requests: \{ cpu: (\d+)m, memory: 2Gi/g)].map(([, each]) =>
        Number(each),
      );
      assert.deepEqual(requests, millicores);
    }
  });

  it('merges custom pod fields into the chart’s own without duplicate fields', async () => {
    const security = { supplementalGroups: [65534], runAsUser: 2000 };
    const volumes = [{ name: 'extra', emptyDir: {} }];
    const text = await render({
      pod: { securityContext: security, volumes, terminationGracePeriodSeconds: 90 },
    });
    const pods = text.split(/^---$/m).filter((each) => each.includes('containers:'));
    assert.equal(pods.length, 3);
    for (const pod of pods) {
      const [, merged, ...more] = pod.split(/^ +securityContext: (?=\{)/m);
      assert.deepEqual(more, []);
      const expected = {
        runAsNonRoot: true,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
        ...security,
      };
      assert.deepEqual(JSON.parse(merged!.split('\n')[0]!), expected);
      assert.equal(pod.match(/terminationGracePeriodSeconds: 90\n/g)?.length, 1);
      assert.equal(pod.match(/^ +volumes:$/gm)?.length, 1);
      assert.match(pod, /name: extra/);
    }
  });

  it('keeps the CronJob name within the 52 characters that Kubernetes allows', async () => {
    for (const length of [46, 47, 53]) {
      const [, name] = /kind: CronJob\nmetadata:\n {2}name: (\S+)/.exec(
        await render({}, 'x'.repeat(length)),
      )!;
      assert.ok(name!.length <= 52, name);
    }
  });

  it('writes whole numbers without an exponent', async () => {
    const text = await render({ image: { tag: 20261128 }, settings: { TELLTALE_MEMORY_MB: 1000000 } });
    assert.equal(text.match(/image: telltale:20261128\n/g)?.length, 3);
    assert.match(text, /TELLTALE_MEMORY_MB: "1000000"\n/);
  });

  it('writes each setting once, and restarts pods if values change', async () => {
    const settings = {
      TELLTALE_THREADS: 3,
      TELLTALE_PUBLIC_URL: 'https://other.example',
      TELLTALE_PROXIES: 2,
    };
    const changed = await render({ settings });
    for (const [name, value] of Object.entries(settings))
      assert.deepEqual(changed.match(new RegExp(`(?<=^ +${name}: "?)[^"\n]+`, 'gm')), [String(value)]);
    const checksums = (text: string): string[] => text.match(/(?<=checksum\/config: )\S+/g) ?? [];
    assert.equal(checksums(changed).length, 2);
    assert.notDeepEqual(checksums(changed), checksums(await render({})));
  });

  it('refuses values with which no pod could start', async () => {
    for (const values of [
      { cores: 0 },
      { cores: 'four' },
      { core: 4 },
      { image: { tag: 1.5 } },
      { replicas: { min: 0 } },
      { pod: { containers: [] } },
    ])
      await assert.rejects(render(values), JSON.stringify(values));
  });
});
