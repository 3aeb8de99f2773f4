// Tests the shipped deployment files: pods have restricted privileges and find the trust lists. `npm run
// lint` compares them with their chart, and deploy/image/try.mjs runs the container image.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

const readManifest = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8');

/** Returns the documents of `kubernetes/` that describe pods, by kind and name. */
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

describe('the container image', () => {
  // `COPY . .` copies only what .dockerignore permits. A missing folder would be noticed only when the image
  // runs.
  it('is built from all parts of the package, without training data', () => {
    const files = ['', 'src/library'].flatMap((folder) => {
      const text = readFileSync(join(ROOT, folder, 'package.json'), 'utf8');
      return (JSON.parse(text) as { files: string[] }).files;
    });
    const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const taken = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const made = ['dist', 'prebuilds'];
    // Files of the library are part of the folder src.
    const sources = files.filter((path) => !made.includes(path) && existsSync(join(ROOT, path)));
    for (const path of [...sources, 'src', 'console', 'package-lock.json'])
      assert.ok(
        taken.some((each) => path === each || path.startsWith(`${each}/`)),
        `${path} is not taken`,
      );
    assert.ok(lines.indexOf('models/training') > lines.indexOf('!models'));
  });
});

describe('the Kubernetes manifests', () => {
  const pods = readPods();

  it('restrict the privileges of every pod', () => {
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

  it('let only one job write the trust lists, while all other pods read them', () => {
    for (const [name, text] of pods) {
      const readOnly = name.startsWith('CronJob') ? '' : ', readOnly: true';
      assert.ok(text.includes(`- { name: trust, mountPath: /data/trust${readOnly} }`), name);
      assert.ok(text.includes(`persistentVolumeClaim: { claimName: telltale-trust${readOnly} }`), name);
    }
    assert.match(pods.get('CronJob telltale-trust')!, /args: \[telltale, trust, update\]/);
    // This setting would name a folder instead of the lists in the image, and the folder is empty at the
    // first start.
    assert.doesNotMatch(readManifest('kubernetes/configmap.yaml'), /TELLTALE_TRUST_DIR/);
    assert.match(readManifest('Dockerfile'), /install -d -o 1000 -g 1000 \/data \/data\/trust\n/);
  });
});

describe('the Helm chart', () => {
  it('has the version of the package and its container image', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    assert.match(
      readManifest('chart/Chart.yaml'),
      new RegExp(`^version: ${version}\nappVersion: ${version}$`, 'm'),
    );
    for (const [name, text] of readPods()) assert.ok(text.includes(`image: telltale:${version}\n`), name);
  });
});

describe('the Kubernetes ingress and network policy', () => {
  it('publish no internal route and accept the longest list of images for a scan', () => {
    const ingress = readManifest('kubernetes/ingress.yaml');
    for (const path of ['/metrics', '/readyz'])
      assert.match(ingress, new RegExp(`- path: ${path}\n +pathType: Prefix\n +backend: [&*]closed`));
    const [, megabytes] = /proxy-body-size: (\d+)m/.exec(ingress)!;
    assert.ok(Number(megabytes) > 256);
  });

  it('allow traffic only from the ingress and the monitoring', () => {
    const [all, http] = readManifest('kubernetes/network-policy.yaml').split(/^---$/m).filter(Boolean);
    for (const app of ['telltale', 'telltale-worker', 'telltale-trust'])
      assert.match(all!, new RegExp(`values: \\[.*\\b${app}\\b`));
    assert.match(all!, /except: \[169\.254\.0\.0\/16\]/);
    assert.match(http!, /matchLabels: \{ app: telltale \}/);
  });

  it('leave the number of replicas to the autoscalers', () => {
    for (const name of ['deployment', 'worker-deployment'])
      assert.doesNotMatch(readManifest(`kubernetes/${name}.yaml`), /^ *replicas:/m);
  });

  it('use the public address and the number of proxies from the settings', () => {
    const [, host] = /^ {4}- host: (\S+)$/m.exec(readManifest('kubernetes/ingress.yaml'))!;
    const settings = readManifest('kubernetes/configmap.yaml');
    assert.ok(settings.includes(`  TELLTALE_PUBLIC_URL: https://${host}\n  TELLTALE_PROXIES: "1"\n`));
    const [service] = readManifest('compose.yaml').split(/^ {2}worker:$/m);
    for (const name of ['PUBLIC_URL', 'PROXIES'])
      assert.ok(service!.includes(`      TELLTALE_${name}: \${TELLTALE_${name}:-}\n`), name);
  });
});

describe('the compose services', () => {
  it('accept any password, and give service, workers and trust list updates the same settings', () => {
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

  it('have no Linux capabilities, no privilege escalation and a memory limit', () => {
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

  it('read the trust lists that a single service updates', () => {
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
