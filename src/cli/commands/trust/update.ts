// `telltale trust update`: fetching and installing the official trust lists.
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import { parseArgs } from 'node:util';
import { loadTrustList, type TrustList } from 'telltale-engine/internal/check/credentials/trust.js';
import {
  OFFICIAL_SOURCE,
  updateTrustLists,
  type ListUpdate,
} from '../../../service/outbound/trust-update.js';
import { loadConfig } from '../../../config.js';
import type { Terminal } from '../../terminal/terminal.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { UsageError, type ExitStatus } from '../command.js';

/** Runs the subcommand. `args` are the arguments after `trust update`. Rejects as `Command.run` does. */
export async function updateTrust(args: string[], { out, err, signal }: Terminal): Promise<ExitStatus> {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      from: { type: 'string', default: OFFICIAL_SOURCE },
    },
  });
  const { trustDir, shippedTrustDir } = loadConfig();
  const updates = await updateTrustLists(trustDir, readSource(values.from), signal);
  signal.throwIfAborted();
  if (values.json) {
    await out.writeLine(JSON.stringify({ dir: trustDir, lists: updates.map(describeUpdate) }, null, 2));
  } else {
    const installed = await loadTrustList(trustDir, shippedTrustDir);
    for (const update of updates)
      await ('fault' in update ? err : out).writeLine(formatUpdate(update, installed));
  }
  return updates.some((update) => 'fault' in update) ? 1 : 0;
}

/**
 * Reads the address of the trust lists. Requires https, except on this machine, because anybody who changes
 * the lists in transit could add a signer.
 */
function readSource(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHere = ['127.0.0.1', '[::1]', 'localhost'].includes(url?.hostname ?? '');
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isHere))) {
    throw new UsageError(`Expected an https address for --from but received '${text}'`);
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

function describeUpdate(update: ListUpdate): object {
  return 'fault' in update ? { ...update, updated: false } : { ...update, updated: true };
}

function formatUpdate(update: ListUpdate, { files }: TrustList): string {
  if (!('fault' in update)) return `${update.name}: ${countOf(update.anchors, 'anchor')} from ${update.url}`;
  const installedFile = files.find(({ name }) => name === update.name);
  const state = installedFile
    ? `the list of ${installedFile.updated.toISOString().slice(0, 10)} stays in use`
    : 'none is installed';
  return `telltale: ${update.url} could not be fetched: ${visibleText(update.fault)}; ${state}`;
}
