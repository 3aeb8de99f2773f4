// Runs the clean-up of what has expired, now and then.
import type { Logger } from 'pino';

const INTERVAL_MS = 600_000;

/**
 * Runs each task at once and every ten minutes; a task that fails is logged and tried again at its next time. Several
 * processes may sweep the same tables. Gives the function that stops it and waits for a sweep that runs.
 */
export function startSweeping(
  tasks: Readonly<Record<string, () => Promise<unknown>>>,
  log: Logger,
): () => Promise<void> {
  const sweep = async (): Promise<void> => {
    for (const [name, task] of Object.entries(tasks)) {
      await task().catch((error: unknown) => log.warn({ err: error, task: name }, 'a sweep failed'));
    }
  };
  let running = sweep();
  const timer = setInterval(() => {
    running = sweep();
  }, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
