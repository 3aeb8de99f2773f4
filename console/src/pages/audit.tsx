// The page Audit log, which lists changes of the account.
import type { JSX } from 'preact';
import type { Me } from '../../../src/service/console/shapes.js';
import { AuditList } from '../components/audit-list.js';
import { PageHead } from '../components/page-head.js';

export function AuditPage({ me }: { me: Me }): JSX.Element {
  return (
    <>
      <PageHead
        title="Audit log"
        introduction={`Changes to ${me.account.name}, and sign-ins. Entries are stored for ${me.service.audit_days} days.`}
      />
      <AuditList path="/audit" showsAccount={false} />
    </>
  );
}
