// The program that fits thresholds in a separate process, because seconds of arithmetic must not delay checks.
import { tableOf } from '../../calibration/thresholds/calibration-page.js';
import {
  formatBands,
  makeThresholds,
  type ThresholdsInput,
} from '../../calibration/thresholds/own-thresholds.js';
import {
  formatThresholdsCard,
  tellWhose,
  type Teller,
} from '../../calibration/thresholds/thresholds-card.js';
import type { ProfileName } from 'telltale-engine/internal/check/types.js';
import type { FitOutcome } from './own-thresholds.js';

/** Thresholds to fit. */
export interface FitTask extends ThresholdsInput {
  /** Accounts by identifier. */
  readonly tellers: ReadonlyMap<string, Teller>;
  /** Profile whose verdicts are counted by account. */
  readonly profile: ProfileName;
  /** Selection of the checks as a sentence. */
  readonly selection: string;
  /** Warnings about the images. */
  readonly warnings: readonly string[];
}

/** Result of a fit, with the reason why it is not worth activating, or null. */
export interface Fitted {
  readonly fault: string | null;
  readonly outcome: FitOutcome;
  /** Card as Markdown. */
  readonly card: string;
  /** Bands file. */
  readonly bands: string;
}

/** Message of the process: the result, or an error. */
export type FitAnswer = Fitted | { readonly error: string };

function fit(task: FitTask): Fitted {
  const { pictures, before, tellers, profile, selection, madeAt } = task;
  const made = makeThresholds(task);
  const whose = tellWhose(pictures, tellers, { before, after: made.bands, profile });
  const warnings = [...task.warnings, ...made.cautions];
  const { thresholds } = made.calibration;
  const moves = thresholds.some((of) => of.before.threshold !== of.after.threshold);
  return {
    fault: moves ? null : 'every threshold stays as it is',
    outcome: { table: tableOf(thresholds), whose, warnings },
    card: formatThresholdsCard({ made, before, whose, warnings, selection, madeAt }),
    bands: formatBands(made.bands),
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
