// The operator's tab Health: device, queue, models, thresholds and trust lists of the responding process.
import type { ComponentChildren, JSX } from 'preact';
import type { PresentedBand } from '../../../src/library/check/details-schema.js';
import type { Health } from '../../../src/service/console/shapes.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { formatCount, formatScore, formatShare } from '../format.js';
import { useLoaded } from '../load.js';
import { PROFILES } from '../try/classify.js';

export function HealthPanel(): JSX.Element {
  const { data, error, reload } = useLoaded<Health>('/operator/health');
  if (!data) return <Fault fault={error} />;
  const { engine, trust } = data;
  return (
    <>
      <p class="quiet">
        Values of the process that responded. <code>/metrics</code> has all.{' '}
        <button type="button" onClick={reload}>
          Refresh
        </button>
      </p>
      <Fault fault={error} />
      {trust.advice !== null && <p>Trust lists: {trust.advice}.</p>}
      <div class="cards">
        <Card title="Service">
          <Fact name="Version">{data.version}</Fact>
          <Fact name="Up for">{formatDuration(data.uptime_s)}</Fact>
          <Fact name="Memory">{data.memory_mb} MB</Fact>
          <Fact name="Database">{data.database}</Fact>
        </Card>
        <Card title="Device">
          <Fact name="Device">{engine.device}</Fact>
          <Fact name="ONNX Runtime">{engine.onnxRuntimeVersion}</Fact>
          <Fact name="Threads">
            {engine.threads.decode} decode, {engine.threads.intraOp} within an operator
          </Fact>
        </Card>
        <Card title="Queue">
          <Fact name="Requests inside">{data.requests.inside}</Fact>
          <Fact name="Requests waiting">{data.requests.waiting}</Fact>
          <Fact name="Images in the engine">
            {engine.running}, {engine.queued} waiting
          </Fact>
          <Fact name="Since the start">
            {formatCount(data.pictures.checked)} checked, {formatCount(data.pictures.refused)} refused
          </Fact>
        </Card>
      </div>
      <p class="quiet small">Why this device: {engine.deviceReason}.</p>
      <TrustLists trust={trust} />
      <Thresholds data={data} />
    </>
  );
}

function TrustLists({ trust }: { trust: Health['trust'] }) {
  return (
    <section class="card flush">
      <h2 class="inside">
        Trust lists{' '}
        <span class="quiet">
          {trust.can_verify
            ? 'signers can be verified'
            : 'no signer can be verified. Run telltale trust update'}
        </span>
      </h2>
      <DataTable name="Trust lists" heads={['File', 'Tier', { number: 'Anchors' }, 'Age']} empty="None.">
        {trust.files.map((file) => (
          <tr key={file.name}>
            <td>{file.name}</td>
            <td>{file.tier}</td>
            <td class="number">{formatCount(file.anchors)}</td>
            <td>{describeAge(file.age_days)}</td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Thresholds({ data }: { data: Health }) {
  return (
    <section class="card flush">
      <h2 class="inside">
        Models {data.model} <span class="quiet">bands {data.bands_version}</span>
      </h2>
      <DataTable
        name="Thresholds by profile"
        heads={[
          'Profile',
          { number: 'Photograph from' },
          { number: 'FPR' },
          { number: 'Illustration from' },
          { number: 'FPR' },
          { number: 'Face from' },
          { number: 'FPR' },
        ]}
      >
        {PROFILES.map((name) => {
          const { full_image_specialist: whole, face_specialist: face } = data.profiles[name];
          return (
            <tr key={name}>
              <td>{name}</td>
              <BandCells band={whole.photographed} />
              <BandCells band={whole.drawn} />
              <BandCells band={face} />
            </tr>
          );
        })}
      </DataTable>
    </section>
  );
}

function BandCells({ band }: { band: PresentedBand }) {
  return (
    <>
      <td class="number">{formatScore(band.threshold)}</td>
      <td class="number">{formatShare(band.false_alarm_rate)}</td>
    </>
  );
}

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <dl class="facts">{children}</dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

const count = (number: number, noun: string): string =>
  `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;

function describeAge(days: number): string {
  return days < 1 ? 'less than a day old' : `${count(Math.floor(days), 'day')} old`;
}

function formatDuration(seconds: number): string {
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
