// A correction of the networks that shipped, as `telltale models adapt` wrote it: adaptation.json in a folder of its own.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { StartError } from '../../base/errors.js';
import { exactly, findFault } from '../../base/shape.js';
import type { ModelDigest, NetworksIdentity } from '../types.js';

/** The file's name in the folder. */
export const ADAPTATION_FILE = 'adaptation.json';

/** What the file holds. */
export interface Adaptation {
  /** Such as `telltale-2.5.0+desk.20261123`. */
  readonly model: string;
  /** The model that it corrects. */
  readonly corrects: string;
  /** Of that model's networks: `NetworksIdentity.digest`. */
  readonly digest: string;
  /** Folder of that model; null: the package's own. */
  readonly networks: string | null;
  /** What a unit of each number of a picture's embedding adds to its logit. */
  readonly correction: Float64Array;
  readonly file: ModelDigest;
}

const AdaptationFile = exactly({
  model: Type.String({
    // The model, the operator's name for its correction, the day.
    pattern: String.raw`^telltale-\d+\.\d+\.\d+\+[0-9A-Za-z-]+\.\d{8}$`,
    expected: 'a name such as telltale-2.5.0+desk.20261123',
  }),
  corrects: Type.String({ minLength: 1 }),
  digest: Type.String({ minLength: 1 }),
  networks: Type.Union([Type.Null(), Type.String({ minLength: 1 })], {
    expected: 'null or the path of a folder',
  }),
  correction: Type.Array(Type.Number()),
});

/** The correction in `folder`; null if there is none. Throws StartError `model_invalid` if it can't be read. */
export async function loadAdaptation(folder: string): Promise<Adaptation | null> {
  let text: string;
  try {
    text = await readFile(join(folder, ADAPTATION_FILE), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unreadable(folder, cause);
  }
  return parseAdaptation(text, folder);
}

/** What `formatAdaptation` wrote; `place` stands in messages. Throws StartError `model_invalid` if it can't be read. */
export function parseAdaptation(text: string, place: string): Adaptation {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw unreadable(place, cause);
  }
  const fault = findFault(AdaptationFile, content);
  if (fault !== null) throw unreadable(place, new Error(fault.text));
  const { correction, ...names } = content as Static<typeof AdaptationFile>;
  return {
    ...names,
    correction: Float64Array.from(correction),
    file: { name: ADAPTATION_FILE, sha256: createHash('sha256').update(text).digest('hex') },
  };
}

/** Throws StartError `model_invalid` if the correction is for other networks. */
export function expectFit(
  { model, corrects, digest, correction }: Adaptation,
  networks: NetworksIdentity,
): void {
  if (networks.digest === digest && networks.embeddingSize === correction.length) return;
  throw new StartError(
    'model_invalid',
    `The correction ${model} is for the networks of ${corrects} as they were, but here is ${networks.name}: run 'telltale models adapt' again`,
  );
}

/** The text of the file. */
export function formatAdaptation(adaptation: Omit<Adaptation, 'file'>): string {
  return `${JSON.stringify({ ...adaptation, correction: [...adaptation.correction] }, null, 1)}\n`;
}

function unreadable(place: string, cause: unknown): StartError {
  return new StartError(
    'model_invalid',
    `The correction in ${place} can't be read: ${(cause as Error).message}`,
    { cause },
  );
}
