// Learns a correction from an operator's pictures and says whether it is worth serving: for the command line and for the console.
import { countOf } from '../../base/count.js';
import type { Bands, ProfileName } from '../../check/types.js';
import type { Adaptation } from '../../engine/manifests/adaptation.js';
import type { NetworksIdentity } from '../../engine/types.js';
import { CheckError } from '../../base/errors.js';
import { nameBands } from './bands-file.js';
import { formatCard } from './card.js';
import { learnCorrection } from './learn.js';
import { countEffect, findFault, fitBands, type Effect } from './effect.js';
import type { Reference } from './reference.js';
import type { SeenPictures } from './see-pictures.js';
import { warnOf } from './warn-of.js';

/** One of the two is enough. */
const LEAST = { ai: 8, genuine: 20 };

/** What a correction is learned from, and what it is for. */
export interface AdaptInput {
  /** By the networks without a correction, all views of each. */
  readonly found: SeenPictures;
  readonly networks: NetworksIdentity;
  /** Their folder; null: the package's own. */
  readonly networksDir: string | null;
  readonly reference: Reference;
  readonly shipped: Bands;
  /** The profile whose verdicts are to become better. */
  readonly profile: ProfileName;
  /** Stands in versions. */
  readonly name: string;
  readonly madeAt: Date;
}

/** A correction that is worth serving. */
export interface MadeCorrection {
  readonly adaptation: Omit<Adaptation, 'file'>;
  readonly bands: Bands;
  /** Markdown. */
  readonly card: string;
}

/** What came of it. */
export interface Adapted {
  readonly outcome: Effect;
  /** Why it is not worth serving, as half a sentence; null if it is. */
  readonly fault: string | null;
  readonly made: MadeCorrection;
}

/** Learns, which takes seconds of this thread. */
export function adapt(input: AdaptInput): Adapted {
  const { found, networks, networksDir, reference, shipped, profile, name, madeAt } = input;
  const setting = { reference, shipped, profile };
  const learned = learnCorrection(found.seen, setting);
  const outcome = countEffect(found.seen, setting, learned);
  const day = madeAt.toISOString().slice(0, 10).replaceAll('-', '');
  const model = `${networks.name}+${name}.${day}`;
  const bands = nameBands({ model, profiles: fitBands(shipped, reference, learned) }, name, madeAt);
  const { name: corrects, digest } = networks;
  const { correction } = learned;
  const warnings = warnOfAll(found);
  const facts = { model, corrects, bandsVersion: bands.version, outcome, learned, warnings, madeAt };
  return {
    outcome,
    fault: findFault(outcome),
    made: {
      adaptation: { model, corrects, digest, networks: networksDir, correction },
      bands,
      card: formatCard(facts),
    },
  };
}

/** What a person should know of the pictures, and which class lacks. */
export function warnOfAll(found: SeenPictures): string[] {
  const lack = findLack(found);
  return lack === null ? warnOf(found) : [...warnOf(found), lack];
}

/** Throws CheckError `invalid_request` if both classes are too small. */
export function refuseTooFew({ seen, copies, refused, contradictions, surplus }: SeenPictures): void {
  const ai = seen.filter(({ isAi }) => isAi).length;
  const genuine = seen.length - ai;
  if (ai >= LEAST.ai || genuine >= LEAST.genuine) return;
  const most = surplus.length === 0 ? '' : `, ${surplus.length} beyond half of one account`;
  const others = `${countOf(copies.length, 'copy', 'copies')}, ${refused.length} refused, ${contradictions.length} of either label${most}`;
  throw new CheckError(
    'invalid_request',
    `Expected at least ${LEAST.ai} AI or ${LEAST.genuine} genuine pictures, each another, but received ${ai} and ${genuine} (beside them ${others})`,
  );
}

function findLack({ seen }: SeenPictures): string | null {
  const ai = seen.filter(({ isAi }) => isAi).length;
  if (ai === seen.length)
    return 'there are no genuine pictures of yours: false alarms are measured on the reference alone';
  return ai === 0 ? 'there are no AI pictures of yours: recall is measured on the reference alone' : null;
}
