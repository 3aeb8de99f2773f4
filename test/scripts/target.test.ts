// The processor architecture for which the set-up builds, and the names that depend on it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { ROOT } from '../support/telltale.js';

/** Evaluates an expression on the functions of scripts/setup/target.mjs, for a machine of another architecture. */
function evaluate(expression: string, arch = 'x64'): unknown {
  const program = `Object.defineProperty(process, 'arch', { value: '${arch}' });
    const { readArch, crossTriplet, toolFor, buildFolder } = await import('./scripts/setup/target.mjs');
    const failure = (act) => { try { return act(); } catch ({ message }) { return message; } };
    console.log(JSON.stringify(${expression}));`;
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], options));
}

describe("the set-up's target architecture", () => {
  it("is this machine's without --arch and with its own name", () => {
    for (const arch of ['x64', 'arm64']) {
      const options = `[[], ['--arch=${arch}', '--prebuild']].map((each) => readArch(each))`;
      assert.deepEqual(evaluate(options, arch), [arch, arch]);
    }
  });

  it('uses the plain tools and the folder build/ for this machine', () => {
    const names = `[crossTriplet('x64'), toolFor('x64', 'gcc'), buildFolder('x64')]`;
    assert.deepEqual(evaluate(names), [null, 'gcc', 'build']);
  });

  it('uses a cross compiler and a folder of its own for arm64 on x64', () => {
    const names = `[readArch(['--arch=arm64']), crossTriplet('arm64'), toolFor('arm64', 'gcc'), buildFolder('arm64')]`;
    const expected = ['arm64', 'aarch64-linux-gnu', 'aarch64-linux-gnu-gcc', '.setup/build-arm64'];
    assert.deepEqual(evaluate(names), expected);
  });

  it('is refused with the possible ones if unknown', () => {
    const message = evaluate(`failure(() => readArch(['--arch=mips']))`);
    assert.equal(message, '--arch=mips: on x64 the engine can be built for x64 or arm64');
    assert.match(
      String(evaluate(`failure(() => readArch(['--arch=x64']))`, 'arm64')),
      /can be built for arm64$/,
    );
  });
});
