// `telltale record key`: listing this installation's public keys, creating a key and revoking one.
import { parseArgs } from 'node:util';
import { loadConfig } from '../../../config.js';
import type { PublicKey } from '../../../record/keys/keys.js';
import { presentKeys } from '../../../record/keys/key-set.js';
import type { Terminal } from '../../terminal/terminal.js';
import { UsageError, type ExitStatus } from '../command.js';
import { withRecordKeys } from '../open-database.js';

/** Runs the subcommand. `args` are the arguments after `record key`. Rejects as `Command.run` does. */
export async function keyCommand(args: string[], { out }: Terminal): Promise<ExitStatus> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const [action, kid, ...rest] = positionals;
  const isKnown = action === 'show' || action === 'rotate' || action === 'revoke';
  if (!isKnown || rest.length > 0 || (kid === undefined) === (action === 'revoke'))
    throw new UsageError("Expected 'show', 'rotate', or 'revoke' and the name of a key");
  const keys = await withRecordKeys(loadConfig(), async (store) => {
    if (action === 'rotate') await store.rotate();
    if (action === 'revoke') await store.revoke(kid ?? '');
    return store.publicKeys();
  });
  if (values.json) await out.writeLine(JSON.stringify(presentKeys(keys), null, 2));
  else for (const [at, key] of keys.entries()) await out.writeLine(`${key.kid}  ${describe(key, at === 0)}`);
  return 0;
}

function describe(key: PublicKey, isPresent: boolean): string {
  const { signs_from: from, signs_until: until, revoked_at: revoked } = key;
  if (revoked !== undefined) return `revoked ${revoked}`;
  const since = from === undefined ? '' : ` since ${from}`;
  return isPresent ? `signs${since}` : `former${since}${until === undefined ? '' : ` until ${until}`}`;
}
