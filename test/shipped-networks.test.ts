// Tests the shipped networks through each interface: the scores of the samples equal the README's everywhere.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createChecker, presentCheck } from 'telltale';
import { openBench, postForm } from './support/service.js';
import { ROOT, runTelltale } from './support/telltale.js';
import { usePackagedModels } from './support/test-models.js';
import { makeFolder } from './support/folders.js';

/** Scores of `samples/` as the README shows them: full image and face. */
const SCORES: Readonly<Record<string, readonly [number, number | null]>> = {
  'portrait-autoencoded.png': [0.9811, 0.8014],
  'portrait-face-swapped.jpg': [0.2765, 0.3506],
  'portrait.png': [0.1553, 0.0045],
  'scene.jpg': [0.1719, null],
};
/** Maximum difference of a score between kinds of processors, from docs/record.md. */
const MAX_PROCESSOR_DIFFERENCE = 0.2;

interface Scores {
  readonly scores: { readonly full_image_specialist: number; readonly face_specialist: number | null };
}

describe('the shipped networks', function () {
  this.timeout(300_000);
  usePackagedModels();
  const image = join(ROOT, 'samples/portrait-face-swapped.jpg');
  let byCommand: Scores['scores'];

  it('score the sample images as stated in the README', async () => {
    const paths = Object.keys(SCORES).map((name) => join(ROOT, 'samples', name));
    const { stdout } = await runTelltale(['check', '--json', ...paths]);
    const results = JSON.parse(stdout) as (Scores & { file: string })[];
    assert.equal(results.length, paths.length);
    for (const { file, scores } of results) {
      const name = file.split('/').at(-1)!;
      for (const [at, score] of [scores.full_image_specialist, scores.face_specialist].entries()) {
        const expected = SCORES[name]![at] ?? null;
        if (expected === null) assert.equal(score, null, name);
        else
          assert.ok(Math.abs(score! - expected) < MAX_PROCESSOR_DIFFERENCE, `${name}: ${score}, ${expected}`);
      }
      if (file === image) byCommand = scores;
    }
  });

  it('return equal scores in a program, over HTTP and through the MCP server for AI assistants', async () => {
    const folder = makeFolder('shipped');
    const bytes = readFileSync(image);
    const checker = await createChecker({ device: 'cpu', threads: 2 });
    const bench = await openBench();
    const client = new Client({ name: 'test', version: '1' });
    try {
      assert.deepEqual(presentCheck(await checker.check(bytes)).scores, byCommand);
      const answer = await postForm(`${bench.url}/v1/check`, await bench.newKey(), 'file', [bytes]);
      assert.deepEqual(answer.body.scores, byCommand, answer.text);
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [join(ROOT, 'dist/cli/main.js'), 'mcp', join(ROOT, 'samples')],
          env: { ...(process.env as Record<string, string>), TELLTALE_DATA_DIR: folder },
        }),
      );
      const reply = await client.callTool({ name: 'check_picture', arguments: { path: image } });
      assert.deepEqual((reply.structuredContent as Scores).scores, byCommand);
    } finally {
      await Promise.all([client.close(), bench.close(), checker.close()]);
    }
  });
});
