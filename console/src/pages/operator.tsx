// Operator: all accounts, all keys, thresholds, and the service's health.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Me } from '../../../src/service/console/shapes.js';
import { Tabs } from '../components/tabs.js';
import { PageHead } from '../components/page-head.js';
import { AccountsPanel } from '../operator/accounts.js';
import { HealthPanel } from '../operator/health.js';
import { ThresholdsPanel } from '../operator/thresholds.js';
import { AllKeysPanel } from '../operator/all-keys.js';

const PANELS = ['Accounts', 'Keys', 'Thresholds', 'Health'] as const;

/** The page. */
export function OperatorPage({ me }: { me: Me }): JSX.Element {
  const [panel, setPanel] = useState<(typeof PANELS)[number]>('Accounts');
  return (
    <>
      <PageHead title="Operator" lead="Everything of this installation." />
      <Tabs name="operator" tabs={PANELS} chosen={panel} onChoose={setPanel}>
        {panel === 'Accounts' && <AccountsPanel me={me} />}
        {panel === 'Keys' && <AllKeysPanel />}
        {panel === 'Thresholds' && <ThresholdsPanel />}
        {panel === 'Health' && <HealthPanel />}
      </Tabs>
    </>
  );
}
