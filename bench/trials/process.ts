// The process of one trial: takes kind and settings from its parent, sends the result back, ends.
import { killMarked } from '../machine/processes.js';
import { TRIAL_KINDS, type TrialKind, type TrialMessage } from './kinds.js';
import { TRIAL_MARK } from './runner.js';

/** What the trial has started and not stopped ends before it. */
function end(): never {
  const mark = process.env[TRIAL_MARK];
  if (mark !== undefined) killMarked(TRIAL_MARK, mark);
  process.exit();
}

function reply(message: TrialMessage): void {
  process.send?.(message, end);
}

// The bench itself is gone.
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
