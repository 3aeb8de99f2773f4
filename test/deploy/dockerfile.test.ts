// The Dockerfile as the trial without Docker reads it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

interface Stage {
  readonly base: string;
  readonly name: string;
  readonly steps: readonly {
    readonly instruction: string;
    readonly stage?: string;
    readonly user?: string;
  }[];
}

describe('the Dockerfile', () => {
  let parse: (text: string) => Stage[];
  before(async () => {
    const module: unknown = await import(join(ROOT, 'deploy/image/dockerfile.mjs'));
    ({ parseDockerfile: parse } = module as { parseDockerfile: typeof parse });
  });

  it('is understood whole, each copy from a stage before', () => {
    const stages = parse(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'));
    assert.deepEqual(
      stages.map(({ name }) => name),
      ['build', ''],
    );
    for (const [index, { base, steps }] of stages.entries()) {
      assert.match(base, /^node:\d+-\w+-slim$/);
      const names = stages.slice(0, index).map(({ name }) => name);
      for (const { stage } of steps) assert.ok(stage === undefined || names.includes(stage), stage);
    }
    const said = stages[1]!.steps.map(({ instruction }) => instruction);
    for (const wanted of ['USER', 'HEALTHCHECK', 'CMD']) assert.ok(said.includes(wanted), wanted);
  });

  it('has its lines joined, its variables and its options read', () => {
    const [stage] = parse(`# a comment
FROM node:22-bookworm-slim AS a
RUN one \\
 && two
ENV A=1 B=/data
COPY --from=b /x /y ./
HEALTHCHECK --interval=10s \\
  CMD ["node", "-e", "1"]
EXPOSE 8080
`);
    assert.deepEqual(stage?.steps, [
      { instruction: 'RUN', command: 'one   && two' },
      { instruction: 'ENV', variables: { A: '1', B: '/data' } },
      { instruction: 'COPY', stage: 'b', target: './', sources: ['/x', '/y'] },
      { instruction: 'HEALTHCHECK', command: ['node', '-e', '1'] },
    ]);
  });

  it('is refused where a step would be left out', () => {
    assert.throws(() => parse('FROM node:22-bookworm-slim\nADD a b\n'), /unknown instruction: ADD a b/);
  });
});
