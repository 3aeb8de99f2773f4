// `telltale record`: verifying signed records of checks, and managing the keys that sign them.
import { parseArgs } from 'node:util';
import { refuseAction, type Command, readChoice, UsageError, type ExitStatus } from './command.js';
import { createChecker, type Checker } from 'telltale-engine/internal/check/checker.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { openRegular } from 'telltale-engine/internal/base/files.js';
import { checkerSettings, loadConfig, type Config } from '../../config.js';
import { DEVICE_NAMES, type Device } from 'telltale-engine/internal/engine/types.js';
import { PACKAGE_MODELS_DIR, readVersion } from 'telltale-engine/internal/base/package-paths.js';
import { readImage } from '../../calibration/input-files/read-image.js';
import { RecordFault } from '../../record/faults.js';
import { loadKeySet, presentKeys } from '../../record/keys/key-set.js';
import type { PublicKey } from '../../record/keys/keys.js';
import { MAX_RECORD_BYTES, readRecord, type ReceivedRecord } from '../../record/verify/read-record.js';
import type { Finding, Repeating } from '../../record/verify/repeat.js';
import { readProvenance } from '../../record/content/provenance.js';
import { holdsAll, verifyRecord } from '../../record/verify/verify.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import type { Terminal } from '../terminal/terminal.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { loadRecordKeys, withRecordKeys } from './open-database.js';

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
        return verifyCommand(rest, terminal);
      case 'key':
        return keyCommand(rest, terminal);
      default:
        return refuseAction(name, "'verify' or 'key'");
    }
  },
};

/** Runs the subcommand. `args` are the arguments after `record verify`. Rejects as `Command.run` does. */
async function verifyCommand(args: string[], terminal: Terminal): Promise<ExitStatus> {
  const config = loadConfig();
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      json: { type: 'boolean', default: false },
      device: { type: 'string', default: config.device },
    },
  });
  const [recordPath, imagePath, ...rest] = positionals;
  if (recordPath === undefined || rest.length > 0)
    throw new UsageError('Expected a record, and optionally its image');
  const device = readChoice('--device', values.device, DEVICE_NAMES);
  try {
    const received = readRecord(await readFile(recordPath));
    const keys = values.key === undefined ? await ownKeys(config) : await loadKeySet(values.key);
    const findings = await verify(received, keys, imagePath, { config, device, terminal });
    if (values.json) await terminal.out.writeLine(JSON.stringify({ findings }, null, 2));
    else for (const finding of findings) await terminal.out.writeLine(format(finding));
    return holdsAll(findings) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RecordFault || error instanceof CheckError)) throw error;
    await terminal.err.writeLine(`telltale: ${visibleText(error.message)}`);
    return 1;
  }
}

interface Dependencies {
  readonly config: Config;
  readonly device: Device;
  readonly terminal: Terminal;
}

async function verify(
  received: ReceivedRecord,
  keys: readonly PublicKey[],
  imagePath: string | undefined,
  { config, device, terminal }: Dependencies,
): Promise<readonly Finding[]> {
  const bytes = imagePath === undefined ? null : await readImage(imagePath, terminal.signal);
  const image = bytes && { bytes, sha256: await digestBytes(bytes) };
  let checker: Checker | null = null;
  const repeating = async (): Promise<Repeating> => {
    const modelsDir = config.modelsDir ?? PACKAGE_MODELS_DIR;
    const checked = (checker ??= await createChecker({ ...checkerSettings(config), device }));
    return {
      setting: await readProvenance(checked, modelsDir, readVersion()),
      check: (...input) => checked.check(...input),
    };
  };
  try {
    return await verifyRecord(received, keys, image, repeating);
  } finally {
    await (checker as Checker | null)?.close();
  }
}

async function ownKeys(config: Config): Promise<readonly PublicKey[]> {
  return (await loadRecordKeys(config)).publicKeys();
}

/** Reads a whole file. Throws RecordFault if it is no regular file or larger than any record may be. */
async function readFile(path: string): Promise<Uint8Array> {
  const file = await openRegular(path).catch((cause: unknown) => {
    const reason = cause instanceof CheckError ? cause.message : (cause as NodeJS.ErrnoException).code;
    throw new RecordFault(`${path} can't be read (${reason})`);
  });
  try {
    const { size } = await file.stat();
    if (size > MAX_RECORD_BYTES)
      throw new RecordFault(`a record has at most ${MAX_RECORD_BYTES} bytes; this file has ${size}`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function format({ about, holds, text }: Finding): string {
  const state = holds === null ? 'not checked' : holds ? 'holds' : 'does not hold';
  // Messages say `image`, although the JSON field has the released name `picture`.
  const aboutLabel = about === 'picture' ? 'image' : about;
  return `${aboutLabel.padEnd(9)}  ${state.padEnd(13)}  ${visibleText(text)}`;
}

/** Runs the subcommand. `args` are the arguments after `record key`. Rejects as `Command.run` does. */
async function keyCommand(args: string[], { out }: Terminal): Promise<ExitStatus> {
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
  else
    for (const [at, key] of keys.entries()) await out.writeLine(`${key.kid}  ${describeKey(key, at === 0)}`);
  return 0;
}

function describeKey(key: PublicKey, isPresent: boolean): string {
  const { signs_from: from, signs_until: until, revoked_at: revoked } = key;
  if (revoked !== undefined) return `revoked ${revoked}`;
  const since = from === undefined ? '' : ` since ${from}`;
  return isPresent ? `signs${since}` : `former${since}${until === undefined ? '' : ` until ${until}`}`;
}
