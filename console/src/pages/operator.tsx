// The page Operator, with tabs for accounts, keys, thresholds, audit log, health and others.
import type { JSX } from 'preact';
import type { Me } from '../../../src/service/console/shapes.js';
import { Tabs } from '../components/tabs.js';
import { PageHead } from '../components/page-head.js';
import { AuditList } from '../components/audit-list.js';
import { AccountsPanel } from '../operator/accounts.js';
import { HealthPanel } from '../operator/health.js';
import { AppealsPanel } from '../operator/appeals.js';
import { KnownPanel } from '../operator/known.js';
import { ThresholdsPanel } from '../operator/thresholds.js';
import { AllKeysPanel } from '../operator/all-keys.js';
import { goTo, path } from '../location.js';
import { useStore } from '../store.js';

const PANELS = [
  'Accounts',
  'API keys',
  'Known images',
  'Appeals',
  'Thresholds',
  'Audit log',
  'Health',
] as const;
type Panel = (typeof PANELS)[number];

/** Path of each tab. The first tab has the path of the page. */
const ADDRESSES: Readonly<Record<Panel, string>> = {
  Accounts: '/operator',
  'API keys': '/operator/keys',
  'Known images': '/operator/known',
  Appeals: '/operator/appeals',
  Thresholds: '/operator/thresholds',
  'Audit log': '/operator/audit',
  Health: '/operator/health',
};

export function OperatorPage({ me }: { me: Me }): JSX.Element {
  const address = useStore(path);
  const panel = PANELS.find((name) => ADDRESSES[name] === address) ?? PANELS[0];
  return (
    <>
      <PageHead title="Operator" introduction="Everything of this installation." />
      <Tabs name="operator" tabs={PANELS} chosen={panel} onChoose={(name) => goTo(ADDRESSES[name])}>
        {panel === 'Accounts' && <AccountsPanel me={me} />}
        {panel === 'API keys' && <AllKeysPanel />}
        {panel === 'Known images' && <KnownPanel />}
        {panel === 'Appeals' && <AppealsPanel />}
        {panel === 'Thresholds' && <ThresholdsPanel />}
        {panel === 'Audit log' && <AuditList path="/operator/audit" showsAccount />}
        {panel === 'Health' && <HealthPanel />}
      </Tabs>
    </>
  );
}
