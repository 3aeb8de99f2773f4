// Writes a correction: a folder that stands for a corrected model, there whole or not at all.
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ADAPTATION_FILE, formatAdaptation } from '../../engine/manifests/adaptation.js';
import { CheckError } from '../../base/errors.js';
import { visibleText } from '../../base/visible-text.js';
import type { MadeCorrection } from './adapt.js';
import { formatBands } from './bands-file.js';

/** Makes `folder`, which must not be there yet. Rejects with CheckError `invalid_request`. */
export async function writeAdaptation(
  folder: string,
  { adaptation, bands, card }: MadeCorrection,
): Promise<void> {
  await refuseExisting(folder);
  const parent = dirname(resolve(folder));
  try {
    await mkdir(parent, { recursive: true });
    const draft = await mkdtemp(join(parent, `.${basename(folder)}-`));
    try {
      await writeFile(join(draft, ADAPTATION_FILE), formatAdaptation(adaptation));
      await writeFile(join(draft, 'bands.json'), formatBands(bands));
      await writeFile(join(draft, 'card.md'), card);
      await rename(draft, folder);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CheckError('invalid_request', `the folder ${folder} can't be written (${code})`, { cause });
  }
}

/** Rejects with CheckError `invalid_request` if something lies at `folder`. */
export async function refuseExisting(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => null)) === null) return;
  throw new CheckError('invalid_request', `${visibleText(folder)} is there already: name another folder`);
}
