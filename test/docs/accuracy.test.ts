// Compares README, docs/accuracy.md and the model cards with the digests that `python -m measure.table`
// stores next to the scores. CI thus detects an edited table, and scores that no table contains, without
// Python.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

const digest = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe('the accuracy tables in the documentation', () => {
  const kept = JSON.parse(readFileSync(join(ROOT, 'models/training/measure/accuracy.json'), 'utf8')) as {
    inputs: Record<string, string>;
    blocks: Record<string, string>;
  };

  for (const [path, expected] of Object.entries(kept.inputs))
    it(`in ${path} were computed from the current scores`, () => {
      assert.equal(digest(readFileSync(join(ROOT, path))), expected, 'run python -m measure.table');
    });

  for (const [path, expected] of Object.entries(kept.blocks))
    it(`in ${path} were not edited after they were computed`, () => {
      const block = /<!-- accuracy:begin -->\n+(.*?)\n+<!-- accuracy:end -->/s.exec(
        readFileSync(join(ROOT, path), 'utf8'),
      )?.[1];
      assert.equal(digest(block ?? ''), expected, 'run python -m measure.table');
    });
});
