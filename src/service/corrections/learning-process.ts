// The program of the process in which something is learned: seconds of arithmetic, in which no check must wait.
import { adapt, warnOfAll, type AdaptInput } from '../../calibration/adaptation/adapt.js';
import { formatBands } from '../../calibration/adaptation/bands-file.js';
import { tableOf as tableOfThresholds } from '../../calibration/adaptation/calibration-page.js';
import { tableOf } from '../../calibration/adaptation/card.js';
import { makeThresholds, type ThresholdsInput } from '../../calibration/adaptation/own-thresholds.js';
import { loadReference } from '../../calibration/adaptation/reference.js';
import {
  formatThresholdsCard,
  tellWhose,
  type Teller,
} from '../../calibration/adaptation/thresholds-card.js';
import type { ProfileName } from '../../check/types.js';
import { formatAdaptation } from '../../engine/manifests/adaptation.js';
import type { CorrectionFiles, CorrectionOutcome } from './corrections.js';

/** A correction to learn. */
export interface CorrectionTask extends Omit<AdaptInput, 'reference'> {
  readonly kind: 'correction';
  readonly referenceDir: string;
}

/** Thresholds to fit. */
export interface ThresholdsTask extends ThresholdsInput {
  readonly kind: 'thresholds';
  /** Of the correction that they are for; null: of none. */
  readonly adaptation: string | null;
  /** By account. */
  readonly tellers: ReadonlyMap<string, Teller>;
  /** The profile whose verdicts are counted by account. */
  readonly profile: ProfileName;
  /** Which checks counted, as a sentence. */
  readonly selection: string;
  /** About the pictures. */
  readonly warnings: readonly string[];
}

/** What came of it, and why it is not worth serving (null: it is). */
export interface Learned extends CorrectionFiles {
  readonly fault: string | null;
  readonly outcome: CorrectionOutcome;
  readonly card: string;
}

/** What the process answers; or what kept it from learning. */
export type LearningAnswer = Learned | { readonly error: string };

async function learnCorrection({ referenceDir, ...task }: CorrectionTask): Promise<Learned> {
  const reference = await loadReference(referenceDir, task.networks.name);
  const { outcome, fault, made } = adapt({ ...task, reference });
  return {
    fault,
    outcome: { table: tableOf(outcome), warnings: warnOfAll(task.found) },
    card: made.card,
    adaptation: formatAdaptation(made.adaptation),
    bands: formatBands(made.bands),
  };
}

function learnThresholds(task: ThresholdsTask): Learned {
  const { pictures, before, adaptation, tellers, profile, selection, madeAt } = task;
  const made = makeThresholds(task);
  const whose = tellWhose(pictures, tellers, { before, after: made.bands, profile });
  const warnings = [...task.warnings, ...made.cautions];
  const { thresholds } = made.calibration;
  const moves = thresholds.some((of) => of.before.threshold !== of.after.threshold);
  return {
    fault: moves ? null : 'every threshold stays as it is',
    outcome: { table: tableOfThresholds(thresholds), whose, warnings },
    card: formatThresholdsCard({ made, before, whose, warnings, selection, madeAt }),
    adaptation,
    bands: formatBands(made.bands),
  };
}

process.once('message', (message) => {
  const task = message as CorrectionTask | ThresholdsTask;
  void Promise.resolve()
    .then((): Learned | Promise<Learned> =>
      task.kind === 'correction' ? learnCorrection(task) : learnThresholds(task),
    )
    .catch((error: unknown): LearningAnswer => ({ error: (error as Error).message }))
    .then((answer) => {
      process.send?.(answer);
      process.disconnect();
    });
});
