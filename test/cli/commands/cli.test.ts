// Tests the command line apart from its subcommands: help, version, invalid usage and settings.
import assert from 'node:assert/strict';
import { COMMANDS } from '../../../src/cli/commands/registry.js';
import { callTelltale, runTelltale } from '../../support/telltale.js';

describe('the telltale command', () => {
  it('prints its help and its version', async () => {
    const help = await runTelltale(['--help']);
    assert.equal(help.status, 0);
    for (const { name } of COMMANDS) assert.ok(help.stdout.includes(`  ${name} `), name);
    const version = await runTelltale(['--version']);
    assert.match(version.stdout, /^\d+\.\d+\.\d+(-dev)?\n$/);
  });

  it('exits with code 2 if the command is missing or unknown', async () => {
    const none = await callTelltale([]);
    assert.deepEqual([none.status, none.stdout], [2, '']);
    assert.match(none.stderr, /^Usage: telltale COMMAND/);
    const unknown = await runTelltale(['photo\u001b.jpg']);
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /There is no command 'photo\\u001b\.jpg'/);
  });

  it('escapes terminal control characters in the file paths of an error message, but keeps the message’s line breaks', async () => {
    const path = '/tmp/none\u001b]0;gone\u0007';
    const { status, stderr } = await callTelltale(['models', 'eval', path]);
    assert.equal(status, 1);
    assert.match(stderr, /^telltale: There is no folder or CSV file \/tmp\/none\\u001b\]0;gone\\u0007\n$/);
  });

  for (const { name, load } of COMMANDS) {
    it(`prints the help of ${name} within 24 lines of 80 characters`, async () => {
      const { help } = await load();
      const lines = help.split('\n');
      assert.ok(lines.length <= 24, `${lines.length} lines`);
      assert.deepEqual(
        lines.filter((line) => line.length > 80),
        [],
      );
      const printed = await callTelltale([name, '--help']);
      assert.deepEqual([printed.status, printed.stdout], [0, `${help}\n`]);
    });
  }

  it('suggests the option or command that was meant by an unknown one', async () => {
    const wrong = await callTelltale(['check', '--jsn', 'x.jpg']);
    assert.deepEqual([wrong.status, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /^telltale: Unknown option '--jsn'; did you mean '--json'\?\n/);
    const dashed = await callTelltale(['record', 'key', 'revoke', '-Qx']);
    assert.match(
      dashed.stderr,
      /^telltale: Unknown option '-Q'; write '--' before a name that begins with '-'\n/,
    );
    assert.match((await callTelltale(['chek'])).stderr, /no command 'chek'; did you mean 'check'\?\n/);
    const other = await callTelltale(['models', 'eval', '--fast', 'x']);
    assert.match(other.stderr, /^telltale: Unknown option '--fast'\n'telltale models --help'/);
  });

  it("prints the same for 'telltale help keys' as for 'telltale keys --help'", async () => {
    const [asked, other] = [await callTelltale(['help', 'keys']), await callTelltale(['keys', '--help'])];
    assert.deepEqual(asked, other);
    assert.match(asked.stdout, /^Usage: telltale keys/);
  });

  it('lists all errors in the settings and exits with code 1', async () => {
    const env = { TELLTALE_PROFILE: 'loose', TELLTALE_COLOUR: 'red' };
    const { status, stderr, stdout } = await callTelltale(['check', 'x.jpg'], { env });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /TELLTALE_PROFILE but received 'loose'/);
    assert.match(stderr, /TELLTALE_COLOUR is not a setting/);
    assert.doesNotMatch(stderr, /\bat .*\.js/, 'no stack');
  });

  it('explains a missing models folder or an unavailable device without a stack trace', async () => {
    const models = await runTelltale(['check', 'x.jpg'], { env: { TELLTALE_MODELS_DIR: '/nowhere' } });
    assert.equal(models.status, 1);
    assert.match(models.stderr, /^telltale: .*\/nowhere/);
    assert.doesNotMatch(models.stderr, /\bat .*\.js/);
  });
});
