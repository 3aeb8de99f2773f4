// Has something learned by a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../base/errors.js';
import type { CorrectionTask, Learned, LearningAnswer, ThresholdsTask } from './learning-process.js';

const PROGRAM = fileURLToPath(new URL(`./learning-process${extname(import.meta.url)}`, import.meta.url));
const GONE: LearningAnswer = { error: 'the process that learned ended' };

/**
 * Rejects with StartError `model_invalid` if it can't be learned, as for a reference of other networks, or the signal's
 * reason.
 */
export async function learnApart(
  task: CorrectionTask | ThresholdsTask,
  signal: AbortSignal,
): Promise<Learned> {
  const child = fork(PROGRAM, {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  try {
    const ended = once(child, 'exit', { signal });
    const answered = once(child, 'message', { signal }) as Promise<[LearningAnswer]>;
    // Checks come first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.send(task);
    const [answer] = await Promise.race([answered, ended.then(() => [GONE] as const)]);
    if (!('error' in answer)) return answer;
    throw new StartError('model_invalid', answer.error);
  } finally {
    child.kill('SIGKILL');
  }
}
