// `telltale known`: managing known images (listed as fake or genuine), which verdicts mention.
import { parseArgs } from 'node:util';
import {
  addKnown,
  listKnown,
  presentKnown,
  removeKnown,
  type KnownImage,
  type KnownInput,
} from '../../accounts/seen/known.js';
import { readKnown } from '../../service/check-and-search.js';
import { readImage } from '../../calibration/input-files/read-image.js';
import { dayOf } from '../../accounts/usage/period.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { KNOWN_LABELS } from 'telltale-engine/internal/check/types.js';
import { checkerSettings, loadConfig } from '../../config.js';
import { PACKAGE_MODELS_DIR } from 'telltale-engine/internal/base/package-paths.js';
import { createEngine } from 'telltale-engine/internal/engine/native/engine.js';
import { print, readChoice, tableLines, UsageError, type Command } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale known add FILE --label fake|genuine [--note TEXT]
                          [--source URL] [--json]
       telltale known list [--json]
       telltale known remove ID [--json]

Lists images that you know to be fake or genuine. If an account stores hashes
('telltale accounts seen NAME on'), the reason of a verdict names a known image
that looks the same as the checked one: re-encoded, resized, or cropped by up to
a tenth. With TELLTALE_KNOWN_DECIDES=1, a known fake also makes the verdict AI
if it equals the checked image block by block. A hash, 128 x 128 grey levels and
a thumbnail of 160 pixels are stored. A copy of a listed image is refused.
Fakes added by version 1.2.0 or earlier never decide: 'list' marks them.

Do not add forms or screenshots of text as fakes, because another text in the
same layout looks the same. Add the photograph in it instead.

  --label NAME    fake or genuine
  --note TEXT     explanation for callers, at most 200 characters
  --source URL    page about the image, for callers

Exit status: 0 done, 1 failed, 2 wrong usage.`;

export const knownCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        label: { type: 'string' },
        note: { type: 'string' },
        source: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const [action, name, ...rest] = positionals;
    const { label, note = '', source = null } = values;
    const config = loadConfig();
    if (action === 'add' && name !== undefined && rest.length === 0) {
      if (label === undefined) throw new UsageError(`Expected --label, one of ${KNOWN_LABELS.join(', ')}`);
      const facts = { label: readChoice('--label', label, KNOWN_LABELS), note, source };
      const input = await readFile(name, terminal.signal);
      const knownImage = await withDatabase(config, (database) => addKnown(database, facts, input));
      return print(terminal, values.json, presentKnown(knownImage), describe([knownImage]));
    }
    if (label !== undefined || values.note !== undefined || source !== null)
      throw new UsageError("--label, --note and --source belong to 'add'");
    if (action === 'list' && name === undefined) {
      const knownImages = await withDatabase(config, listKnown);
      return print(terminal, values.json, knownImages.map(presentKnown), describe(knownImages));
    }
    if (action === 'remove' && name !== undefined && rest.length === 0) {
      await withDatabase(config, (database) => removeKnown(database, name));
      return print(terminal, values.json, { id: name, removed: true }, [`${visibleText(name)}: removed`]);
    }
    throw new UsageError("Expected 'add FILE', 'list' or 'remove ID'");
  },
};

/** Computes the hashes for finding copies of an image file, and its thumbnail. Only the engine can decode it. */
async function readFile(path: string, signal: AbortSignal): Promise<KnownInput> {
  const bytes = await readImage(path, signal);
  const config = loadConfig();
  const { modelsDir = PACKAGE_MODELS_DIR, threads, memoryMb } = checkerSettings(config);
  const engine = await createEngine({ modelsDir, threads, memoryMb, device: 'cpu' });
  try {
    return await readKnown(engine, bytes, { signal });
  } finally {
    await engine.close();
  }
}

function describe(images: readonly KnownImage[]): string[] {
  return tableLines(
    ['id', 'label', 'since', 'decides', 'note', 'source'],
    images.map(({ id, label, createdAt, canDecide, note, source }) => [
      id,
      label,
      dayOf(createdAt),
      label === 'genuine' ? '-' : canDecide ? 'can' : 'no: add it again',
      visibleText(note),
      visibleText(source ?? ''),
    ]),
  );
}
