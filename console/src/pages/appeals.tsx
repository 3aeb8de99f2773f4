// The page Appeals: appeals against verdicts of the account's checks, newest first, with their decisions.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AppealPage, ShownAppeal } from '../../../src/service/console/shapes.js';
import { readAppealNews } from '../appeal-news.js';
import { AppealCard } from '../components/appeal-card.js';
import { Fault } from '../components/fault.js';
import { MoreButton } from '../components/more-button.js';
import { PageHead } from '../components/page-head.js';
import { describeDecision } from '../format.js';
import { follow } from '../location.js';
import { usePages } from '../pages-of.js';

export function AppealsPage(): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const path = `/appeals${isOpen ? '?state=open' : ''}`;
  const { pages, error, fault, loadMore } = usePages<AppealPage>(path, 'before');
  const appeals = pages.flatMap((page) => page.appeals);
  useEffect(() => readAppealNews.set(() => Date.now()), []);
  return (
    <>
      <PageHead
        title="Appeals"
        introduction="Objections to verdicts on your images. The operator of this service decides them. Create a link for an appeal at the check."
      />
      <label>
        <input type="checkbox" checked={isOpen} onChange={() => setOpen(!isOpen)} /> Only those that wait for
        a decision
      </label>
      <Fault fault={error} />
      <Fault fault={fault} />
      {pages.length > 0 && appeals.length === 0 && (
        <p class="card">{isOpen ? 'No appeal waits for a decision.' : 'There is no appeal.'}</p>
      )}
      {appeals.map((appeal) => (
        <AppealCard
          key={appeal.id}
          appeal={appeal}
          title={`${stateOf(appeal)}: ${appeal.check.name ?? appeal.check_id}`}
          imagePath={`/console/api/checks/${appeal.check_id}/image`}
        >
          <p>
            <a href={`/checks/${appeal.check_id}`} onClick={follow}>
              Open the check
            </a>
          </p>
        </AppealCard>
      ))}
      <MoreButton loadMore={loadMore} />
    </>
  );
}

function stateOf({ decision, withdrawn_at: withdrawnAt }: ShownAppeal): string {
  if (withdrawnAt !== null) return 'Withdrawn';
  return decision === null ? 'Waits for a decision' : `Verdict ${describeDecision(decision.outcome)}`;
}
