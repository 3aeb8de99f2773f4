// `telltale trust show`: printing the installed trust lists, their age and their certificates.
import { parseArgs } from 'node:util';
import {
  describeTrust,
  loadTrustList,
  type TrustList,
} from 'telltale-engine/internal/check/credentials/trust.js';
import { loadConfig } from '../../../config.js';
import { formatTable } from '../../../tables/columns.js';
import type { Terminal } from '../../terminal/terminal.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import type { ExitStatus } from '../command.js';

/** Runs the subcommand. `args` are the arguments after `trust show`. Rejects as `Command.run` does. */
export async function showTrust(args: string[], { out }: Terminal): Promise<ExitStatus> {
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
