// `telltale trust`: managing the lists of signers whose Content Credentials count as verified.
import { parseArgs } from 'node:util';
import { refuseAction, type Command, type ExitStatus } from './command.js';
import {
  describeTrust,
  loadTrustList,
  type TrustList,
} from 'telltale-engine/internal/check/credentials/trust.js';
import { loadConfig } from '../../config.js';
import { formatTable } from '../../tables/columns.js';
import type { Terminal } from '../terminal/terminal.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';

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
        return showTrust(rest, terminal);
      case 'update':
        return (await import('./trust/update.js')).updateTrust(rest, terminal);
      default:
        return refuseAction(name, "'show' or 'update'");
    }
  },
};

/** Runs the subcommand. `args` are the arguments after `trust show`. Rejects as `Command.run` does. */
async function showTrust(args: string[], { out }: Terminal): Promise<ExitStatus> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } });
  const { trustDir, shippedTrustDir } = loadConfig();
  const list = await loadTrustList(trustDir, shippedTrustDir);
  if (values.json) await out.writeLine(JSON.stringify(describeInFull(list), null, 2));
  else for (const line of formatTrust(list)) await out.writeLine(line);
  return 0;
}

function describeInFull(list: TrustList): object {
  const { files, ...rest } = describeTrust(list, new Date());
  return {
    dir: list.dir,
    ...rest,
    files: files.map((file, at) => ({
      ...file,
      anchors: (list.files[at]?.anchors ?? []).map(({ subject, expires }) => ({
        subject,
        expires: expires.toISOString(),
      })),
    })),
  };
}

function formatTrust(list: TrustList): readonly string[] {
  const { advice, files } = describeTrust(list, new Date());
  const fileRows = files.map(({ name, tier, purpose, anchors, unreadable, shipped, date, age_days: age }) => [
    visibleText(name),
    tier,
    purpose.replace('_', ' '),
    String(anchors) + (unreadable > 0 ? ` (${unreadable} can not be parsed)` : ''),
    shipped ? 'package' : 'folder',
    date,
    `${age.toFixed(1)} days`,
  ]);
  const anchorTables = list.files.flatMap(({ name, anchors }) => [
    '',
    visibleText(name),
    ...formatTable(
      anchors.map(({ subject, expires }) => [
        `  ${expires.toISOString().slice(0, 10)}`,
        visibleText(subject),
      ]),
    ),
  ]);
  return [
    ...(advice === null ? [] : [advice, '']),
    `folder: ${visibleText(list.dir ?? '')}`,
    ...(fileRows.length > 0
      ? formatTable([['FILE', 'TIER', 'VOUCHES FOR', 'ANCHORS', 'FROM', 'OF', 'AGE'], ...fileRows])
      : []),
    ...anchorTables,
  ];
}
