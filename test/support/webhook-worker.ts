// Starts a process that only delivers webhooks, to the test's receiver.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('webhook-worker.mjs', import.meta.url));

/** Starts the process on the database at `url`. Resolves when the process delivers. */
export async function startWebhookWorker(url: string, ca: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, url, ca], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}
