// A dialog to confirm a new plan for an account, which immediately applies to all its keys.
import type { JSX } from 'preact';
import type { ShownAccount } from '../../../src/service/console/shapes.js';
import { FormDialog } from '../components/form-dialog.js';

/** An account and the plan that it is to get. */
export interface PlanChange {
  readonly account: ShownAccount;
  readonly plan: string;
}

/** Draws the dialog. Calls `apply` when the operator confirms. */
export function PlanDialog(props: {
  change: PlanChange;
  apply: () => Promise<unknown>;
  onClose: () => void;
  onApplied: () => void;
}): JSX.Element {
  const { account, plan } = props.change;
  return (
    <FormDialog
      title={`Plan ${plan} for ${account.name}?`}
      submitLabel="Change the plan"
      send={() => props.apply().then(props.onApplied).then(props.onClose)}
      onClose={props.onClose}
    >
      <p>
        {account.name} has {account.plan === null ? 'no plan' : `the plan ${account.plan}`} today. The new one
        holds within a second for its members ({account.members}) and its keys ({account.keys}). Keys that are
        narrowed to a smaller plan stay so.
      </p>
    </FormDialog>
  );
}

/** Draws a message that the plan was changed, with a button to undo this. */
export function PlanApplied(props: { change: PlanChange; undo: (plan: string) => void }): JSX.Element {
  const { account, plan } = props.change;
  const formerPlan = account.plan;
  return (
    <p class="inside" role="status">
      {account.name} has the plan {plan} now.{' '}
      {formerPlan !== null && (
        <button type="button" class="link" onClick={() => props.undo(formerPlan)}>
          Undo: back to {formerPlan}
        </button>
      )}
    </p>
  );
}
