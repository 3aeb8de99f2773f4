// The page Checks: the account's history, newest first, with a dialog about the check that the address names.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { Me, ShownCheck } from '../../../src/service/console/shapes.js';
import { call, messageOf } from '../api.js';
import { writeText } from '../components/copy-button.js';
import { FormDialog } from '../components/form-dialog.js';
import { Fault } from '../components/fault.js';
import { KeysHelp } from '../components/keys-help.js';
import { PageHead } from '../components/page-head.js';
import { ReportDialog } from '../components/report-dialog.js';
import { saveCsv } from '../save-file.js';
import { nameScan } from '../format.js';
import { follow, goTo, path, query, stayAt } from '../location.js';
import { hasRole } from '../roles.js';
import { useShortcuts, type Shortcuts } from '../shortcuts.js';
import { useStore } from '../store.js';
import { CheckDetail } from './check-detail.js';
import { CheckList } from './check-list.js';
import { rowsOf } from './check-rows.js';
import { readFilter, writeFilter, type Filter, type FilterName } from './filter.js';
import { Filters } from './filters.js';
import { loadAll, useHistory, type History } from './history.js';
import { LookUp } from './look-up.js';
import { useOpened, useSteps } from './opened.js';
import { SelectionBar, useSelection } from './selection.js';

/** Address of the review queue: unclear checks without a status. */
const QUEUE = '/checks?verdict=unclear&status=none';

const KEYS = {
  j: 'the next check',
  k: 'the check before',
  Enter: 'open the check',
  r: 'report its verdict as wrong',
  c: 'copy the link to it',
  '?': 'this help',
};

export function ChecksPage({ me }: { me: Me }): JSX.Element {
  const search = useStore(query);
  const openId = /^\/checks\/(.+)$/.exec(useStore(path))?.[1] ?? null;
  const filter = readFilter(search);
  const [round, setRound] = useState(0);
  const history = useHistory(filter, round);
  const [dialog, setDialog] = useDialog(openId);
  const { opened, fault, refresh } = useOpened(openId, history);

  const linkOf = (id: string): string => `/checks/${id}${search}`;
  const steps = useSteps(history, openId, linkOf);
  const close = (): void => goTo(`/checks${search}`);
  const narrow = (name: FilterName, value: string): void =>
    stayAt(`/checks${writeFilter({ ...readFilter(query.get()), [name]: value })}`);
  const { statusMessage, copyLink, save } = useStatusMessage(filter, openId);
  useShortcuts(dialog === null ? keysOf({ history, openId, linkOf, copyLink, ask: setDialog }) : {});

  return (
    <>
      <Head me={me} onSave={save} onOpen={setDialog} />
      <Filters filter={filter} onChoose={narrow} />
      {filter.scan !== '' && <OfScan id={filter.scan} />}
      <p class="quiet small" role="status">
        {opened ? '' : statusMessage}
      </p>
      <Fault fault={history.error ?? fault} />
      <List
        history={history}
        isOfScan={filter.scan !== ''}
        linkOf={linkOf}
        onChanged={() => setRound((count) => count + 1)}
      />
      {opened && (
        <CheckDetail
          key={opened.id}
          check={opened}
          me={me}
          onClose={close}
          onChange={refresh}
          onReport={() => setDialog('report')}
          onErase={hasRole(me.member.role, 'owner') ? () => setDialog('erase') : null}
          onCopy={() => copyLink(opened.id)}
          statusMessage={statusMessage}
          steps={steps}
        />
      )}
      <OpenDialog
        kind={dialog}
        check={opened}
        onClose={() => setDialog(null)}
        onReported={refresh}
        onErased={(id) => {
          history.remove(id);
          close();
        }}
      />
    </>
  );
}

/** Draws the checks, and the form that sets the status of the selected ones. */
function List(props: {
  history: History;
  isOfScan: boolean;
  linkOf: (id: string) => string;
  onChanged: () => void;
}): JSX.Element | null {
  const {
    history: { checks, loadMore },
    isOfScan,
    linkOf,
    onChanged,
  } = props;
  const selection = useSelection(checks);
  if (checks === null) return null;
  return (
    <>
      {checks.length > 0 && <SelectionBar checks={checks} selection={selection} onChanged={onChanged} />}
      <CheckList
        isOfScan={isOfScan}
        checks={checks}
        linkOf={linkOf}
        loadMore={loadMore}
        selection={selection}
      />
    </>
  );
}

/** Name of the dialog that is open over the page. */
type DialogKind = 'report' | 'erase' | 'keys' | 'look-up' | null;

/** Returns the open dialog and a function that sets it. When a check is closed, moves the focus to its row. */
function useDialog(openId: string | null): [DialogKind, (dialog: DialogKind) => void] {
  const [dialog, setDialog] = useState<DialogKind>(null);
  // A layout effect, so that keys pressed right after a check is closed find the focus on its row.
  useLayoutEffect(() => {
    // Closes the search for an image when a person opens a result.
    setDialog((kind) => (kind === 'look-up' ? null : kind));
    return () => document.querySelector<HTMLElement>(`[data-check="${openId}"]`)?.focus();
  }, [openId]);
  return [dialog, setDialog];
}

function OpenDialog(props: {
  kind: DialogKind;
  check: ShownCheck | null;
  onClose: () => void;
  onReported: () => void;
  onErased: (id: string) => void;
}): JSX.Element | null {
  const { kind, check, onClose, onReported, onErased } = props;
  if (kind === 'look-up') return <LookUp onClose={onClose} />;
  if (kind === 'keys') return <KeysHelp keys={KEYS} onClose={onClose} />;
  if (!check || kind === null) return null;
  if (kind === 'report')
    return (
      <ReportDialog
        id={check.id}
        isAi={check.is_ai}
        isStored={check.image_stored}
        onClose={onClose}
        onSent={() => {
          onClose();
          onReported();
        }}
      />
    );
  return (
    <FormDialog
      title="Erase this check?"
      submitLabel="Erase for good"
      buttonStyle="danger"
      send={async () => {
        await call('DELETE', `/checks/${check.id}`);
        onClose();
        onErased(check.id);
      }}
      onClose={onClose}
    >
      <p>
        This permanently deletes its verdict, notes, stored image and entry in a scan. The charge remains.
      </p>
    </FormDialog>
  );
}

/** Draws the title and the buttons that concern all checks. */
function Head(props: { me: Me; onSave: () => void; onOpen: (dialog: DialogKind) => void }): JSX.Element {
  const { me, onSave, onOpen } = props;
  const { history_days: days } = me.service;
  return (
    <PageHead
      title="Checks"
      introduction={
        days === 0
          ? 'This service stores no history (TELLTALE_HISTORY_DAYS is 0).'
          : `Kept for ${days} days: names, scores and verdicts. Images are stored only on request. For other checks, a tile shows the colours.`
      }
    >
      <button type="button" onClick={onSave}>
        Save as CSV
      </button>
      {days > 0 && (
        <button type="button" onClick={() => goTo(QUEUE)}>
          Review unclear checks
        </button>
      )}
      {me.account.keeps_hashes && (
        <button type="button" onClick={() => onOpen('look-up')}>
          Find an image
        </button>
      )}
      <button type="button" class="plain shortcuts" onClick={() => onOpen('keys')}>
        Keyboard shortcuts
      </button>
    </PageHead>
  );
}

function OfScan({ id }: { id: string }): JSX.Element {
  return (
    <p>
      Only those of{' '}
      <a href={`/scans/${id}`} onClick={follow}>
        {nameScan(id)}
      </a>
      .{' '}
      <button type="button" class="link" onClick={() => stayAt('/checks')}>
        Show all checks
      </button>
    </p>
  );
}

/** Runs an action and returns its result as the message `statusMessage`, until another check is opened or closed. */
function useStatusMessage(
  filter: Filter,
  openId: string | null,
): {
  statusMessage: string;
  copyLink: (id: string) => void;
  save: () => void;
} {
  const [statusMessage, setStatusMessage] = useState('');
  useEffect(() => setStatusMessage(''), [openId]);
  const copyLink = (id: string): void => {
    const link = `${window.location.origin}/checks/${id}`;
    writeText(link).then(
      () => setStatusMessage(`Copied the link to ${id}`),
      () => setStatusMessage(link),
    );
  };
  const save = (): void => {
    setStatusMessage('');
    loadAll(filter).then(
      (checks) => saveCsv('telltale-checks.csv', rowsOf(checks)),
      (error: unknown) => setStatusMessage(messageOf(error)),
    );
  };
  return { statusMessage, copyLink, save };
}

/** Returns the actions of the shortcut keys: next and previous check, report, copy the link, help. */
function keysOf(props: {
  history: Pick<History, 'checks'>;
  openId: string | null;
  linkOf: (id: string) => string;
  copyLink: (id: string) => void;
  ask: (dialog: 'report' | 'keys') => void;
}): Shortcuts {
  const { history, openId, linkOf, copyLink, ask } = props;
  const checks = history.checks ?? [];
  const current = (): string | null =>
    openId ?? (document.activeElement as HTMLElement | null)?.dataset['check'] ?? null;
  const move = (step: 1 | -1): void => {
    const at = checks.findIndex(({ id }) => id === current());
    const target = checks[at === -1 ? 0 : at + step];
    if (!target) return;
    if (openId !== null) stayAt(linkOf(target.id));
    else document.querySelector<HTMLElement>(`[data-check="${target.id}"]`)?.focus();
  };
  return {
    j: () => move(1),
    k: () => move(-1),
    r: () => {
      const id = current();
      if (id === null) return;
      if (openId === null) goTo(linkOf(id));
      ask('report');
    },
    c: () => {
      const id = current();
      if (id !== null) copyLink(id);
    },
    // An open check with an image has its own list of keys.
    ...(openId === null && { '?': () => ask('keys') }),
  };
}
