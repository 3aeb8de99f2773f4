// Child process that fits thresholds. In the serving process, seconds of arithmetic would delay checks.
import { tableOf } from '../../calibration/thresholds/calibration-page.js';
import {
  formatBands,
  makeThresholds,
  type ThresholdsInput,
} from '../../calibration/thresholds/own-thresholds.js';
import {
  formatThresholdsCard,
  describeLabellers,
  type Labeller,
} from '../../calibration/thresholds/thresholds-card.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import type { FitOutcome } from './own-thresholds.js';

/** Input of the child process: the images to fit to, and facts for the report. */
export interface FitTask extends ThresholdsInput {
  /** Accounts whose images are used, by identifier. */
  readonly labellers: ReadonlyMap<string, Labeller>;
  /** Profile whose verdicts on each account's images are counted for the report. */
  readonly profile: ProfileName;
  /** Sentence for the report that says which checks were selected. */
  readonly selection: string;
  /** Warnings about the images, for the report. */
  readonly warnings: readonly string[];
}

/** Result of a fit. `fault` is the reason why the thresholds are not worth activating, or null. */
export interface Fitted {
  readonly fault: string | null;
  readonly outcome: FitOutcome;
  /** Markdown document that describes the thresholds. */
  readonly card: string;
  /** Content of the bands file, which holds the thresholds. */
  readonly bands: string;
}

/** Message from the child process: the result, or an error. */
export type FitAnswer = Fitted | { readonly error: string };

function fit(task: FitTask): Fitted {
  const { images, before, labellers, profile, selection, madeAt } = task;
  const newThresholds = makeThresholds(task);
  const labellerTable = describeLabellers(images, labellers, { before, after: newThresholds.bands, profile });
  const warnings = [...task.warnings, ...newThresholds.cautions];
  const { thresholds } = newThresholds.calibration;
  const isChanged = thresholds.some((threshold) => threshold.before.threshold !== threshold.after.threshold);
  return {
    fault: isChanged ? null : 'no threshold changes',
    outcome: { table: tableOf(thresholds), whose: labellerTable, warnings },
    card: formatThresholdsCard({ newThresholds, before, labellerTable, warnings, selection, madeAt }),
    bands: formatBands(newThresholds.bands),
  };
}

process.once('message', (message) => {
  let answer: FitAnswer;
  try {
    answer = fit(message as FitTask);
  } catch (error) {
    answer = { error: (error as Error).message };
  }
  process.send?.(answer);
  process.disconnect();
});
