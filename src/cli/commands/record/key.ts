// `telltale record key`: the public keys of this installation, and a new one.
import { parseArgs } from 'node:util';
import { loadConfig } from '../../../config.js';
import { presentKeys } from '../../../record/keys/key-set.js';
import type { Terminal } from '../../terminal/terminal.js';
import { UsageError, type ExitStatus } from '../command.js';
import { withRecordKeys } from '../open-record-keys.js';

/** Runs with the arguments after `record key`. Rejects as a Command does. */
export async function keyCommand(args: string[], { out }: Terminal): Promise<ExitStatus> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [action, ...rest] = positionals;
  if ((action !== 'show' && action !== 'rotate') || rest.length > 0)
    throw new UsageError("Expected 'show' or 'rotate'");
  const keys = await withRecordKeys(loadConfig(), async (store) => {
    if (action === 'rotate') await store.rotate();
    return store.publicKeys();
  });
  if (values.json) await out.writeLine(JSON.stringify(presentKeys(keys), null, 2));
  else
    for (const [at, { kid }] of keys.entries())
      await out.writeLine(`${kid}  ${at === 0 ? 'signs' : 'former'}`);
  return 0;
}
