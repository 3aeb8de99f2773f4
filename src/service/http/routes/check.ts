// POST /v1/check: one picture.
import { readImageInput } from '../body/image-input.js';
import { runChecks, type RunDeps } from '../checks/run-checks.js';
import type { Context } from '../state.js';

/** Handles POST /v1/check. Runs after `authenticate` and `admit`. */
export function postCheck(deps: RunDeps): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const input = await ctx.state.stages.time('receive', () => readImageInput(ctx, 'single'));
    await runChecks(ctx, deps, input, ([outcome]) => {
      if (!outcome) throw new Error('a single check has one outcome');
      if (outcome.kind === 'checked') return outcome.entry;
      deps.metrics.countOutcome(outcome);
      throw outcome.error;
    });
  };
}
