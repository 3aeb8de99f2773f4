// Tests the documents that the service offers to programs: llms.txt and the MCP registry entry.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBench } from '../../support/service.js';
import { ROOT } from '../../support/telltale.js';

describe('documents that the service offers to programs', () => {
  it('include a short description of the project', async () => {
    const bench = await openBench();
    try {
      const answer = await fetch(`${bench.url}/llms.txt`);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/);
      const text = await answer.text();
      assert.match(text, /^# Telltale\n\n> /);
      for (const [, path] of text.matchAll(/\]\((\/[^)]+)\)/g))
        assert.notEqual((await fetch(`${bench.url}${path}`)).status, 404, path);
      for (const [, path] of text.matchAll(/\]\(([^/)][^)]*)\)/g))
        assert.ok(existsSync(join(ROOT, path!)), path);
    } finally {
      await bench.close();
    }
  });

  it('include the entry of this version for the MCP registry', () => {
    const read = (name: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as Record<string, unknown>;
    const entry = read('server.json') as {
      name: string;
      description: string;
      version: string;
      packages: { identifier: string; version: string }[];
      remotes: { url: string; variables: object }[];
    };
    const { name, version } = read('package.json');
    assert.match(entry.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(entry.description.length <= 100);
    assert.equal(entry.version, version);
    assert.deepEqual(
      entry.packages.map((one) => [one.identifier, one.version]),
      [[name, version]],
    );
    for (const { url, variables } of entry.remotes)
      assert.deepEqual(
        [...url.matchAll(/\{(\w+)\}/g)].map(([, variable]) => variable),
        Object.keys(variables),
      );
  });
});
