// `telltale record`: verifying signed records of checks, and managing the keys that sign them.
import { refuseAction, type Command } from './command.js';

const HELP = `Usage: telltale record verify RECORD [IMAGE] [--key FILE | URL] [--json]
       telltale record key show | rotate | revoke KEY [--json]

verify: says in a line each whether RECORD (.html or .json) is unchanged,
whether IMAGE is the one that was checked, and whether the same comes of its
check again, where the model that it names is at hand.

  --key PLACE  whose keys count: a key set (/.well-known/telltale-keys.json of a
               service), or PEM; default: the keys of this installation
  --json       for programs
  --device D   auto, cpu, cuda, tensorrt (default: auto)

key show: the public keys and when each signs, the one that does now first. key
rotate: a new key signs from now on; records by the keys before stay good if
their date is in the time of their key. key revoke: no record by KEY counts any
more; if KEY signs, a new one does from now on. The key is in the file of
TELLTALE_RECORD_KEY, else in the database, else in the data folder. 'telltale
check --record DIR' makes records; docs/record.md explains them.

Exit status: 0 nothing is wrong, 1 something is, or the record can't be read,
2 wrong usage.`;

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
