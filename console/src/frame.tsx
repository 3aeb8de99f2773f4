// The frame of every page: navigation bar, account, theme and sign-out.
import type { ComponentChildren, FunctionComponent, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Me, Notices } from '../../src/service/console/shapes.js';
import { hasRole, type Role } from './roles.js';
import { call, messageOf } from './api.js';
import { Fault } from './components/fault.js';
import { fadeEnds, keepInRow } from './keep-in-row.js';
import { formatCount, formatDay, formatMoment } from './format.js';
import { useLoaded } from './load.js';
import { follow } from './location.js';
import { ChecksPage } from './history/checks-page.js';
import { readAppealNews } from './appeal-news.js';
import { AppealsPage } from './pages/appeals.js';
import { AuditPage } from './pages/audit.js';
import { KeysPage } from './pages/keys.js';
import { MembersPage } from './pages/members.js';
import { OperatorPage } from './pages/operator.js';
import { UsagePage } from './pages/usage.js';
import { VerifyPage } from './pages/verify.js';
import { WebhooksPage } from './pages/webhooks.js';
import { ScansPage } from './scans/scans-page.js';
import { useStore } from './store.js';
import { THEMES, theme, type Theme } from './theme.js';
import { TryPage } from './try/try-page.js';

/** A page in the navigation bar. */
export interface Page {
  readonly path: string;
  readonly name: string;
  readonly View: FunctionComponent<{ me: Me }>;
  readonly isFor: (role: Role) => boolean;
}

/** Pages in the order of the navigation bar. */
export const PAGES: readonly [Page, ...Page[]] = [
  { path: '/', name: 'Try', View: TryPage, isFor: () => true },
  { path: '/checks', name: 'Checks', View: ChecksPage, isFor: () => true },
  { path: '/scans', name: 'Scans', View: ScansPage, isFor: () => true },
  { path: '/verify', name: 'Verify', View: VerifyPage, isFor: () => true },
  { path: '/usage', name: 'Usage', View: UsagePage, isFor: () => true },
  { path: '/keys', name: 'API keys', View: KeysPage, isFor: (role) => hasRole(role, 'owner') },
  { path: '/members', name: 'Members', View: MembersPage, isFor: (role) => hasRole(role, 'owner') },
  { path: '/webhooks', name: 'Webhooks', View: WebhooksPage, isFor: (role) => hasRole(role, 'owner') },
  { path: '/appeals', name: 'Appeals', View: AppealsPage, isFor: () => true },
  { path: '/audit', name: 'Audit log', View: AuditPage, isFor: (role) => hasRole(role, 'owner') },
  { path: '/operator', name: 'Operator', View: OperatorPage, isFor: (role) => hasRole(role, 'operator') },
];

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

/** Draws the navigation bar and the current page. */
export function Frame(props: {
  me: Me;
  page: Page;
  onLeave: () => void;
  children: ComponentChildren;
}): JSX.Element {
  const { me, page, onLeave, children } = props;
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${page.name} · Telltale`;
    keepInRow(bar.current?.querySelector('[aria-current]'));
  }, [page]);
  useEffect(() => (bar.current ? fadeEnds(bar.current) : undefined), []);
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href="/" onClick={follow}>
          <Mark /> Telltale
        </a>
        <nav ref={bar} aria-label="Pages">
          {PAGES.filter((entry) => entry.isFor(me.member.role)).map((entry) => (
            <a
              key={entry.path}
              href={entry.path}
              onClick={follow}
              aria-current={entry === page ? 'page' : undefined}
            >
              {entry.name}
            </a>
          ))}
        </nav>
        <AccountMenu me={me} onLeave={onLeave} />
      </header>
      <main id="content" tabIndex={-1}>
        <Warnings page={page} />
        {children}
      </main>
    </>
  );
}

/** Draws notices, such as a used-up quota. Loads them again when the page changes. */
function Warnings({ page }: { page: Page }): JSX.Element | null {
  const { data, reload } = useLoaded<Notices>('/notices');
  useEffect(reload, [page]);
  const readAt = useStore(readAppealNews);
  if (!data) return null;
  const { quota, keys, appeals, appeals_to_decide: toDecide } = data;
  const isNews = (at: string | null): boolean => at !== null && Date.parse(at) > readAt;
  const news =
    page.path === '/appeals' ? '' : describeNews(isNews(appeals.received_at), isNews(appeals.decided_at));
  if (quota === null && keys.length === 0 && news === '' && toDecide === 0) return null;
  return (
    <section class="card warning" role="status" aria-label="Notices">
      {quota && (
        <p>
          {quota.gone >= quota.quota
            ? `All ${formatCount(quota.quota)} checks of this month are used or reserved.`
            : `${formatCount(quota.gone)} of ${formatCount(quota.quota)} checks of this month are used or reserved.`}{' '}
          The next month starts on {formatDay(quota.ends)}.{' '}
          <a href="/usage" onClick={follow}>
            Usage
          </a>
        </p>
      )}
      {news !== '' && (
        <p>
          {news}{' '}
          <a href="/appeals" onClick={follow}>
            Appeals
          </a>
        </p>
      )}
      {toDecide > 0 && (
        <p>
          {toDecide === 1 ? 'One appeal waits' : `${formatCount(toDecide)} appeals wait`} for your decision.{' '}
          <a href="/operator/appeals" onClick={follow}>
            Decide
          </a>
        </p>
      )}
      {keys.map(({ id, name, expires_at: expires }) => (
        <p key={id}>
          The key {name} <code>{id}</code> works until {formatMoment(expires)}.{' '}
          <a href="/keys" onClick={follow}>
            API keys
          </a>
        </p>
      ))}
    </section>
  );
}

function describeNews(isReceived: boolean, isDecided: boolean): string {
  if (isReceived && isDecided) return 'An appeal arrived, and an appeal was decided.';
  if (isReceived) return 'An appeal against one of your verdicts arrived.';
  return isDecided ? 'An appeal against one of your verdicts was decided.' : '';
}

/** Draws the name of the signed-in person and a button to sign out. */
function AccountMenu({ me, onLeave }: { me: Me; onLeave: () => void }): JSX.Element {
  const [fault, setFault] = useState('');
  const leave = (everywhere: boolean): void => {
    setFault('');
    call('DELETE', everywhere ? '/sessions' : '/session').then(onLeave, (error: unknown) =>
      setFault(messageOf(error)),
    );
  };
  return (
    <details class="menu">
      <summary>
        <span class="account">{me.account.name}</span>
        <span class="quiet">{me.member.role}</span>
      </summary>
      <div class="menu-body">
        <p>
          <strong>{me.member.email}</strong>
          <br />
          <span class="quiet">
            {me.account.name}, {me.account.plan === null ? 'no plan yet' : `plan ${me.account.plan}`}
          </span>
        </p>
        <Appearance />
        <a href="/docs">API documentation</a>
        <button type="button" onClick={() => leave(false)}>
          Sign out
        </button>
        <button type="button" class="plain" onClick={() => leave(true)}>
          Sign out everywhere
        </button>
        <Fault fault={fault} />
        <p class="quiet small">
          Telltale {me.service.version}, {me.service.model}, bands {me.service.bands_version}
        </p>
      </div>
    </details>
  );
}

/** Draws the choice between the light and the dark theme. */
function Appearance(): JSX.Element {
  const chosen = useStore(theme);
  return (
    <label class="field">
      Appearance
      <select value={chosen} onChange={(event) => theme.set(() => event.currentTarget.value as Theme)}>
        {THEMES.map((name) => (
          <option key={name} value={name}>
            {THEME_NAMES[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Draws the logo. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M7 11V8.500A1.500 1.500 0 0 1 8.500 7H11M21 7h2.500A1.500 1.500 0 0 1 25 8.500V11M25 21v2.500a1.500 1.500 0 0 1-1.500 1.500H21M11 25H8.500A1.500 1.500 0 0 1 7 23.500V21M11 18.500l3-5 3.500 6.500 3.500-8" />
    </svg>
  );
}
