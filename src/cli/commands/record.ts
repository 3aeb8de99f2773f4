// `telltale record`: verifying signed records of checks, and managing the keys that sign them.
import { refuseAction, type Command } from './command.js';

const HELP = `Usage: telltale record verify RECORD [IMAGE] [--key FILE | URL] [--json]
       telltale record key show | rotate | revoke KEY [--json]

verify: prints whether RECORD (.html or .json) is unchanged. With IMAGE, also
prints whether IMAGE is the checked image. If the model of the record is
available, repeats the check and compares the results.

  --key PLACE  trusted keys: a PEM file, or a key set such as a service's
               /.well-known/telltale-keys.json; default: this installation's
  --json       print JSON
  --device D   auto, cpu, cuda, tensorrt (default: auto)

key show: prints the public keys and their periods, the current key first.
key rotate: creates a new key for new records. Earlier records stay valid.
key revoke: makes all records signed by KEY invalid. If KEY is the current key,
creates a new one.

The key is in the file of TELLTALE_RECORD_KEY, else in the database, else in the
data folder. 'telltale check --record DIR' creates records (docs/record.md).

Exit status: 0 everything is valid, 1 something is not valid or the record is
unreadable, 2 wrong usage.`;

export const recordCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const [name, ...rest] = args;
    switch (name) {
      case 'verify':
        return (await import('./record/verify.js')).verifyCommand(rest, terminal);
      case 'key':
        return (await import('./record/key.js')).keyCommand(rest, terminal);
      default:
        return refuseAction(name, "'verify' or 'key'");
    }
  },
};
