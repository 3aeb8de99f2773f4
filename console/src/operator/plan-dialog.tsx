// Asks before an account gets another plan: it holds for all of its keys at once.
import type { JSX } from 'preact';
import type { ShownAccount } from '../../../src/service/console/shapes.js';
import { FormDialog } from '../components/form-dialog.js';

/** The account as it is, and the plan that it is to have. */
export interface PlanChange {
  readonly account: ShownAccount;
  readonly plan: string;
}

/** `apply` is run when the answer is yes. */
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
      send={() => props.apply().then(props.onApplied)}
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
