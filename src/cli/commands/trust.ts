// `telltale trust`: managing the lists of signers whose Content Credentials count as verified.
import { refuseAction, type Command } from './command.js';

const HELP = `Usage: telltale trust show [--json]
       telltale trust update [--from URL] [--json]

show: prints the trust lists in use, their age, and every trust anchor with its
expiry.
update: downloads the official C2PA trust list and its time-stamp list, checks
that every certificate is readable, and replaces each list in one step. If a
download fails, the old list stays. Run it daily, for example by a timer; a
running service uses new lists within a minute.

  --from URL  folder of a mirror instead of the official address: https, or http
              on this machine; contains both lists under their official names
  --json      print JSON

The folder of the lists is TELLTALE_TRUST_DIR, by default trust in the data
folder. By default, the package's own lists are used if they are newer. Other
*.pem files in the folder are your own trust anchors; those with 'tsa' in the
name are for time stamps. Signers in its subfolder 'interim' are named, but
never count as verified.

Exit status: 0 done, 1 a list could not be downloaded, 2 wrong usage.`;

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
