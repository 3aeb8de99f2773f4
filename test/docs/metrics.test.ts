// Compares docs/metrics.md with the code: every metric is explained, and alerts and dashboard use only
// explained metrics.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set([...text.matchAll(pattern)].map((match) => match[0].replace(/_bucket$/, '')))].sort();

describe('docs/metrics.md', () => {
  const page = read('docs/metrics.md');
  const sources = readdirSync(join(ROOT, 'src/service'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => read(`src/service/${path}`))
    .filter((text) => text.includes("from 'prom-client'"))
    .join('\n');

  it('explains every metric', () => {
    const made = namesIn(sources, /(?<=')telltale_[a-z_]+(?=')/g);
    assert.ok(made.length > 12, made.join());
    assert.deepEqual(
      made.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });

  it('names every alert, and every metric that the alerts and the dashboard use', () => {
    const rules = read('deploy/prometheus/rules.yaml');
    const asked = namesIn(rules + read('deploy/grafana/telltale.json'), /\b(telltale|nodejs)_[a-z0-9_]+/g);
    // Node's runtime metrics are represented by a single one.
    const own = asked.filter((name) => name.startsWith('telltale_'));
    assert.deepEqual(
      own.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
    for (const [, alert = ''] of rules.matchAll(/- alert: (\w+)/g))
      assert.ok(page.includes(`| \`${alert}\` |`), alert);
  });
});
