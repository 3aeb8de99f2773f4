// What is shipped for deployment: every pod is locked down and finds the lists. `npm run lint` compares the manifests with
// the chart that they are made from, and deploy/image/try.mjs runs the image.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

const readManifest = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8');

/** Documents of `kubernetes/` that describe pods, by kind and name. */
function readPods(): Map<string, string> {
  const documents = readdirSync(join(ROOT, 'deploy/kubernetes'))
    .flatMap((name) => readManifest(`kubernetes/${name}`).split(/^---$/m))
    .filter((text) => text.includes('containers:'));
  return new Map(
    documents.map((text) => {
      const [, kind] = /^kind: (\w+)$/m.exec(text)!;
      const [, name] = /^ {2}name: ([\w-]+)$/m.exec(text)!;
      return [`${kind} ${name}`, text];
    }),
  );
}

describe('the image', () => {
  // COPY . . takes what .dockerignore leaves: a folder that it lacks would be missed in the package alone.
  it('is built from all that the packages are made of, without training data', () => {
    const files = ['', 'src/library'].flatMap((folder) => {
      const text = readFileSync(join(ROOT, folder, 'package.json'), 'utf8');
      return (JSON.parse(text) as { files: string[] }).files;
    });
    const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const taken = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const made = ['dist', 'prebuilds'];
    // The library's own files come with src.
    const sources = files.filter((path) => !made.includes(path) && existsSync(join(ROOT, path)));
    for (const path of [...sources, 'src', 'console', 'package-lock.json'])
      assert.ok(
        taken.some((each) => path === each || path.startsWith(`${each}/`)),
        `${path} is not taken`,
      );
    assert.ok(lines.indexOf('models/training') > lines.indexOf('!models'));
  });
});

describe('the manifests of Kubernetes', () => {
  const pods = readPods();

  it('lock every pod down', () => {
    assert.deepEqual([...pods.keys()].sort(), [
      'CronJob telltale-trust',
      'Deployment telltale',
      'Deployment telltale-worker',
    ]);
    for (const [name, text] of pods)
      for (const setting of [
        '"runAsNonRoot":true',
        '"runAsUser":1000',
        '"fsGroup":1000',
        '"seccompProfile":{"type":"RuntimeDefault"}',
        'allowPrivilegeEscalation: false',
        'readOnlyRootFilesystem: true',
        'capabilities: { drop: [ALL] }',
        'automountServiceAccountToken: false',
        'enableServiceLinks: false',
        'requests: {',
        'limits: {',
      ])
        assert.ok(text.includes(setting), `${name} lacks ${setting}`);
  });

  it('let one job alone write the trust lists, where all others read them', () => {
    for (const [name, text] of pods) {
      const readOnly = name.startsWith('CronJob') ? '' : ', readOnly: true';
      assert.ok(text.includes(`- { name: trust, mountPath: /data/trust${readOnly} }`), name);
      assert.ok(text.includes(`persistentVolumeClaim: { claimName: telltale-trust${readOnly} }`), name);
    }
    assert.match(pods.get('CronJob telltale-trust')!, /args: \[telltale, trust, update\]/);
    // A folder named by the setting would shut out the lists of the image, with none at the first start.
    assert.doesNotMatch(readManifest('kubernetes/configmap.yaml'), /TELLTALE_TRUST_DIR/);
    assert.match(readManifest('Dockerfile'), /install -d -o 1000 -g 1000 \/data \/data\/trust\n/);
  });
});

describe('the chart', () => {
  it('has the version of the package, and its image', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    assert.match(
      readManifest('chart/Chart.yaml'),
      new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'),
    );
    for (const [name, text] of readPods()) assert.ok(text.includes(`image: telltale:${version}\n`), name);
  });
});

describe('the way in', () => {
  it('publishes no route of the cluster, and lets the longest list through', () => {
    const ingress = readManifest('kubernetes/ingress.yaml');
    for (const path of ['/metrics', '/readyz'])
      assert.match(ingress, new RegExp(`- path: ${path}\n +pathType: Prefix\n +backend: [&*]closed`));
    const [, megabytes] = /proxy-body-size: (\d+)m/.exec(ingress)!;
    assert.ok(Number(megabytes) > 256);
  });

  it('is open to the ingress and the monitoring alone', () => {
    const [all, http] = readManifest('kubernetes/network-policy.yaml').split(/^---$/m).filter(Boolean);
    for (const app of ['telltale', 'telltale-worker', 'telltale-trust'])
      assert.match(all!, new RegExp(`values: \\[.*\\b${app}\\b`));
    assert.match(all!, /except: \[169\.254\.0\.0\/16\]/);
    assert.match(http!, /matchLabels: \{ app: telltale \}/);
  });

  it('leaves the number of replicas to what scales them', () => {
    for (const name of ['deployment', 'worker-deployment'])
      assert.doesNotMatch(readManifest(`kubernetes/${name}.yaml`), /^ *replicas:/m);
  });

  it('has one public address in ingress and settings, and the number of proxies beside it', () => {
    const [, host] = /^ {4}- host: (\S+)$/m.exec(readManifest('kubernetes/ingress.yaml'))!;
    const settings = readManifest('kubernetes/configmap.yaml');
    assert.ok(settings.includes(`  TELLTALE_PUBLIC_URL: https://${host}\n  TELLTALE_PROXIES: "1"\n`));
    const [service] = readManifest('compose.yaml').split(/^ {2}worker:$/m);
    for (const name of ['PUBLIC_URL', 'PROXIES'])
      assert.ok(service!.includes(`      TELLTALE_${name}: \${TELLTALE_${name}:-}\n`), name);
  });
});

describe('the services of compose', () => {
  it('take any password, and the same settings for service, workers and trust lists', () => {
    const compose = readManifest('compose.yaml');
    assert.doesNotMatch(compose, /:\/\/[^\s]*POSTGRES_PASSWORD/);
    assert.match(compose, /^ {2}PGPASSWORD: \$\{POSTGRES_PASSWORD:\?/m);
    const services = compose.split(/^services:$/m)[1]!.split(/^ {2}(?=\w+:$)/m);
    const withSettings = services.filter((text) => text.includes('    env_file: *settings\n'));
    assert.deepEqual(
      withSettings.map((text) => text.slice(0, text.indexOf(':'))),
      ['telltale', 'worker', 'trust'],
    );
  });

  it('have no capability, no way to one, and a limit of memory', () => {
    const [head, ...services] = readManifest('compose.yaml')
      .split(/^volumes:$/m)[0]!
      .split(/^ {2}(?=\w+:$)/m)
      .filter((text) => !text.startsWith('#'));
    const locked = head!.startsWith('telltale') ? readManifest('compose.yaml') : head!;
    assert.match(locked, /cap_drop: \[ALL\]\n {2}security_opt: \['no-new-privileges:true'\]/);
    for (const text of services) {
      assert.match(text, /^ {4}<<: \*locked$/m);
      assert.match(text, /^ {4}mem_limit: \d+[gm]$/m);
    }
  });

  it('read the trust lists that one of them renews', () => {
    const services = readManifest('compose.yaml').split(/^ {2}(?=\w+:$)/m);
    const mounts = services.flatMap((text) => {
      const [, mode] = /- trust:\/data\/trust(:ro)?$/m.exec(text) ?? [null, null];
      return mode === null
        ? []
        : [`${text.slice(0, text.indexOf(':'))} ${mode === ':ro' ? 'reads' : 'writes'}`];
    });
    assert.deepEqual(mounts, ['telltale reads', 'worker reads', 'trust writes']);
    assert.match(
      services.find((text) => text.startsWith('trust:\n    <<'))!,
      /do telltale trust update;/,
    );
  });
});
