// The page Members: people of the account and open invitations.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Me, Members, ShownMember } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { Confirm } from '../components/confirm.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { InviteDialog } from '../components/invite-dialog.js';
import { MoreButton } from '../components/more-button.js';
import { PageHead } from '../components/page-head.js';
import { formatDay, formatMoment } from '../format.js';
import { usePages } from '../pages-of.js';
import { hasRole } from '../roles.js';

export function MembersPage({ me }: { me: Me }): JSX.Element {
  const { pages, error, fault: moreFault, reload, loadMore } = usePages<Members>('/members', 'after');
  const [first] = pages;
  const [isInviting, setInviting] = useState(false);
  const [removed, setRemoved] = useState<ShownMember | null>(null);
  const [fault, setFault] = useState('');
  const withdraw = (id: string): void => {
    setFault('');
    call('DELETE', `/invitations/${id}`).then(reload, (problem: unknown) => setFault(messageOf(problem)));
  };
  return (
    <>
      <PageHead title="Members" introduction={`The people of ${me.account.name} who sign in here.`}>
        <button type="button" class="primary" onClick={() => setInviting(true)}>
          Invite
        </button>
      </PageHead>
      <Fault fault={error} />
      <Fault fault={fault} />
      <Fault fault={moreFault} />
      {first && (
        <section class="card flush">
          <DataTable name="Members" heads={['Email', 'Role', 'Since']} hasActions>
            {pages
              .flatMap(({ members }) => members)
              .map((member) => (
                <MemberRow key={member.id} member={member} me={me} onRemove={() => setRemoved(member)} />
              ))}
            {first.invitations.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                onWithdraw={() => withdraw(invitation.id)}
              />
            ))}
          </DataTable>
          <MoreButton loadMore={loadMore} />
        </section>
      )}
      {isInviting && (
        <InviteDialog
          account={me.account}
          by={me.member.role}
          onClose={() => setInviting(false)}
          onMade={reload}
        />
      )}
      {removed && (
        <Confirm
          title={`Remove ${removed.email}?`}
          text="The member is immediately signed out everywhere. The account's checks and keys stay."
          confirmLabel="Remove"
          act={() => call('DELETE', `/members/${removed.id}`).then(reload)}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}

function MemberRow(props: { member: ShownMember; me: Me; onRemove: () => void }): JSX.Element {
  const { member, me, onRemove } = props;
  return (
    <tr>
      <td>
        {member.email} {member.is_unverified && <span class="tag">unverified</span>}
      </td>
      <td>{member.role}</td>
      <td>{formatDay(member.created_at)}</td>
      <td class="end">
        {member.id === me.member.id ? (
          'you'
        ) : (
          <button
            type="button"
            class="plain danger"
            disabled={!hasRole(me.member.role, member.role)}
            onClick={onRemove}
          >
            Remove<span class="sr"> {member.email}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

function InvitationRow(props: {
  invitation: Members['invitations'][number];
  onWithdraw: () => void;
}): JSX.Element {
  const { invitation, onWithdraw } = props;
  return (
    <tr>
      <td>
        {invitation.email} <span class="tag">invited</span>
      </td>
      <td>{invitation.role}</td>
      <td>link works until {formatMoment(invitation.expires_at)}</td>
      <td class="end">
        <button type="button" class="plain" onClick={onWithdraw}>
          Withdraw<span class="sr"> the invitation of {invitation.email}</span>
        </button>
      </td>
    </tr>
  );
}
