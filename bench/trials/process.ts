// The process of one trial: takes kind and settings from its parent, sends the result back, ends.
import { TRIAL_KINDS, type TrialKind, type TrialMessage } from './kinds.js';

function reply(message: TrialMessage): void {
  process.send?.(message, () => process.disconnect());
}

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
