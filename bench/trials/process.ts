// The process of one measurement. Receives kind and settings from its parent, sends the result back and ends.
import { killMarked } from '../machine/processes.js';
import { TRIAL_KINDS, type TrialKind, type TrialMessage } from './kinds.js';
import { TRIAL_MARK } from './runner.js';

/** Kills all processes that the measurement started and did not stop, then ends this process. */
function end(): never {
  const mark = process.env[TRIAL_MARK];
  if (mark !== undefined) killMarked(TRIAL_MARK, mark);
  process.exit();
}

function reply(message: TrialMessage): void {
  process.send?.(message, end);
}

// Also ends if the bench itself has ended.
process.once('disconnect', end);

process.once('message', (order: { kind: TrialKind; settings: unknown }) => {
  const run = TRIAL_KINDS[order.kind] as (settings: unknown) => Promise<unknown>;
  run(order.settings).then(
    (result) => reply({ kind: 'result', result }),
    (error: unknown) => {
      const { code, message } = error as { code?: unknown; message?: unknown };
      reply({ kind: 'failure', code: typeof code === 'string' ? code : null, message: String(message) });
    },
  );
});
