// The program of the thread in which a correction is learned: seconds of arithmetic, in which no check must wait.
import { parentPort, workerData } from 'node:worker_threads';
import { adapt, type AdaptInput } from '../adaptation/adapt.js';
import { tableOf } from '../adaptation/card.js';
import { loadReference } from '../adaptation/reference.js';

/** What the thread is given. */
export interface AdaptTask extends Omit<AdaptInput, 'reference'> {
  readonly referenceDir: string;
}

/** What it answers. */
export interface AdaptAnswer {
  readonly fault: string | null;
  readonly table: readonly (readonly string[])[];
  readonly made: ReturnType<typeof adapt>['made'];
}

const { referenceDir, ...task } = workerData as AdaptTask;
const reference = await loadReference(referenceDir, task.networks.name);
const { outcome, fault, made } = adapt({ ...task, reference });
parentPort?.postMessage({ fault, table: tableOf(outcome), made } satisfies AdaptAnswer);
