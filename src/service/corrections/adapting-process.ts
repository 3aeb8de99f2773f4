// The program of the process in which a correction is learned: seconds of arithmetic, in which no check must wait.
import { adapt, type AdaptInput, type MadeCorrection } from '../../calibration/adaptation/adapt.js';
import { tableOf } from '../../calibration/adaptation/card.js';
import { loadReference } from '../../calibration/adaptation/reference.js';
import type { CorrectionOutcome } from './corrections.js';

/** What the process is given. */
export interface AdaptTask extends Omit<AdaptInput, 'reference'> {
  readonly referenceDir: string;
}

/** What it answers: a correction, and why it is not worth serving (null: it is); or what kept it from learning. */
export type AdaptAnswer =
  | {
      readonly fault: string | null;
      readonly table: CorrectionOutcome['table'];
      readonly made: MadeCorrection;
    }
  | { readonly error: string };

async function learn({ referenceDir, ...task }: AdaptTask): Promise<AdaptAnswer> {
  const reference = await loadReference(referenceDir, task.networks.name);
  const { outcome, fault, made } = adapt({ ...task, reference });
  return { fault, table: tableOf(outcome), made };
}

process.once('message', (task) => {
  void learn(task as AdaptTask)
    .catch((error: unknown): AdaptAnswer => ({ error: (error as Error).message }))
    .then((answer) => {
      process.send?.(answer);
      process.disconnect();
    });
});
