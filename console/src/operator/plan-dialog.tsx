// A dialog before an account's plan changes, which applies to all of its keys at once.
import type { JSX } from 'preact';
import type { ShownAccount } from '../../../src/service/console/shapes.js';
import { FormDialog } from '../components/form-dialog.js';

/** An account and its new plan. */
export interface PlanChange {
  readonly account: ShownAccount;
  readonly plan: string;
}

/** Draws the dialog. Runs `apply` after a yes. */
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
      yes="Change the plan"
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

/** Draws a message about the applied plan with a button that restores the former one. */
export function PlanApplied(props: { change: PlanChange; undo: (plan: string) => void }): JSX.Element {
  const { account, plan } = props.change;
  const former = account.plan;
  return (
    <p class="inside" role="status">
      {account.name} has the plan {plan} now.{' '}
      {former !== null && (
        <button type="button" class="link" onClick={() => props.undo(former)}>
          Undo: back to {former}
        </button>
      )}
    </p>
  );
}
