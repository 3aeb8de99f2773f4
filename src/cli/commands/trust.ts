// `telltale trust`: managing the lists of signers whose Content Credentials count as verified.
import { refuseAction, type Command } from './command.js';

const HELP = `Usage: telltale trust show [--json]
       telltale trust update [--from URL] [--json]

show: the trust lists in force, their age, and every anchor with its expiry.

update: fetches the official C2PA trust list and its time-stamp list, checks
that every certificate parses, and replaces each in one step; a list that fails
stays as it was. Call it daily, by a timer; a running service sees new lists
within a minute.

  --from URL  a mirror's folder instead of the official one: https, or http to
              this machine; it holds both lists under their official names
  --json      for programs

The folder is TELLTALE_TRUST_DIR; where that is not set, trust in the data
folder, beside the package's own lists: of two of one name the newer counts.
Further *.pem files there hold anchors of your own; 'tsa' in a name makes them
anchors of time stamps. Signers of files in its folder 'interim' are named, but
never verified.

Exit status: 0 done, 1 a list could not be fetched, 2 wrong usage.`;

export const trustCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const [name, ...rest] = args;
    switch (name) {
      case 'show':
        return (await import('./trust/show.js')).showTrust(rest, terminal);
      case 'update':
        return (await import('./trust/update.js')).updateTrust(rest, terminal);
      default:
        return refuseAction(name, "'show' or 'update'");
    }
  },
};
