// What is shipped for deployment: the image holds what the program reads, and every pod is locked down and finds the lists.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DEFAULT_PLANS_FILE } from '../../src/accounts/plans.js';
import * as packagePaths from '../../src/base/package-paths.js';
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
  it('holds every path of the package', () => {
    const runtime = readManifest('Dockerfile')
      .split(/^FROM /m)
      .at(-1)!;
    const copied = [...runtime.matchAll(/^COPY --from=build (.+) (\S+)$/gm)].flatMap(([, sources, target]) =>
      sources!.split(' ').map((source) => {
        const path = source.replace('/app/', '');
        assert.ok(target === './' || target === `./${path}`, `${source} moves to ${target}`);
        return path;
      }),
    );
    const folders = Object.values(packagePaths).filter((path) => typeof path === 'string');
    const wanted = [...folders, DEFAULT_PLANS_FILE].map((path) => relative(ROOT, path));
    assert.ok(wanted.includes('trust'));
    for (const path of wanted)
      assert.ok(
        copied.some((folder) => path === folder || path.startsWith(`${folder}/`)),
        `${path} is not copied`,
      );
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
        'runAsNonRoot: true',
        'runAsUser: 1000',
        'fsGroup: 1000',
        'seccompProfile: { type: RuntimeDefault }',
        'allowPrivilegeEscalation: false',
        'readOnlyRootFilesystem: true',
        'capabilities: { drop: [ALL] }',
        'automountServiceAccountToken: false',
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
    assert.match(pods.get('CronJob telltale-trust')!, /args: \[node, dist\/cli\/main\.js, trust, update\]/);
    // A folder named by the setting would shut out the lists of the image, with none at the first start.
    assert.doesNotMatch(readManifest('kubernetes/configmap.yaml'), /TELLTALE_TRUST_DIR/);
    assert.match(readManifest('Dockerfile'), /mkdir -p \/data\/trust && chown -R node:node \/data\n/);
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
    const [all, http] = readManifest('kubernetes/network-policy.yaml').split(/^---$/m);
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
      /node dist\/cli\/main\.js trust update/,
    );
  });
});
