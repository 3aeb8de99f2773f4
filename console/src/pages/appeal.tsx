// The page that an appeal link opens: a person sees the verdict, sends the original image and reads the decision.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { HEADLINES } from '../../../src/library/check/verdict/assessment.js';
import { loadAppeals, loadImage, readLink, withdraw, type Appeals, type Link } from '../appeal-link.js';
import { messageOf } from '../api.js';
import { AppealFacts } from '../components/appeal-facts.js';
import { Fault } from '../components/fault.js';
import { OriginalForm } from '../components/original-form.js';
import { describeDecision, formatMoment, withoutVerdict } from '../format.js';
import { Mark } from '../frame.js';
import { useNewLinks } from '../location.js';

export function AppealPage(): JSX.Element {
  const [link] = useState(readLink);
  useNewLinks();
  const [data, setData] = useState<Appeals | null>(null);
  const [fault, setFault] = useState('');
  const load = async (): Promise<void> => {
    setFault('');
    if (link) await loadAppeals(link).then(setData, (error: unknown) => setFault(messageOf(error)));
  };
  useEffect(() => void load(), [link]);
  useEffect(() => {
    document.title = 'Appeal · Telltale';
  }, []);
  return (
    <main class="door wide">
      <h1>
        <Mark /> Telltale
      </h1>
      {!link && (
        <NoLink text="Open the whole link that you received. This page only works with it, and a copied link may be cut off." />
      )}
      {link && data === null && fault !== '' && <NoLink text={fault} />}
      {link && data && (
        <>
          <Verdict link={link} data={data} />
          {data.appeals.map((appeal) => (
            <Sent key={appeal.id} appeal={appeal} link={link} onWithdrawn={load} />
          ))}
          {explainClosed(data) === null && (
            <OriginalForm
              link={link}
              attempts={data.attempts_left}
              deadline={data.link?.expires_at ?? ''}
              isFirst={data.appeals.length === 0}
              onSent={load}
            />
          )}
          <Next data={data} />
          <Fault fault={fault} />
        </>
      )}
    </main>
  );
}

/** Draws the explanation of a missing, invalid, revoked or expired link. */
function NoLink({ text }: { text: string }): JSX.Element {
  return (
    <div class="card" role="alert">
      <h2>This link can’t be used</h2>
      <p>{text}</p>
    </div>
  );
}

/** Returns why nothing more can be sent, as a sentence; null if an original can be sent. */
function explainClosed({ link, check, appeals }: Appeals): string | null {
  if (check.appeal === 'overturned') return 'The verdict was overturned, so there is nothing more to send.';
  if (appeals.some(({ decision }) => decision !== null)) return 'The decision is final.';
  if (link?.state === 'expired')
    return `This link expired on ${formatMoment(link.expires_at)}. Nothing more can be sent through it.`;
  if (link?.state === 'used_up') return 'All attempts of this link are used.';
  return null;
}

function Verdict({ link, data }: { link: Link; data: Appeals }): JSX.Element {
  const { check, link: shown } = data;
  const isOverturned = check.appeal === 'overturned';
  const verdict = HEADLINES[check.assessment];
  return (
    <div class="card appeal">
      {check.image_stored && <CheckedImage link={link} />}
      <div>
        <h2>{isOverturned ? `Overturned: ${verdict}` : verdict}</h2>
        {isOverturned && <p>This verdict was found to be wrong and is withdrawn.</p>}
        <p>{check.reason === null ? '' : withoutVerdict(check.reason)}</p>
        <dl class="facts">
          <dt>Checked by</dt>
          <dd>{shown?.account}</dd>
          <dt>Time</dt>
          <dd>{formatMoment(check.created_at)}</dd>
          <dt>Check</dt>
          <dd>
            <code>{check.id}</code>
          </dd>
        </dl>
        {!check.image_stored && <p class="quiet small">The checked image is not stored.</p>}
      </div>
    </div>
  );
}

function CheckedImage({ link }: { link: Link }): JSX.Element | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    let made: string | null = null;
    // Without the image, the page still shows the verdict.
    loadImage(link).then(
      (blob) => setAddress((made = URL.createObjectURL(blob))),
      () => undefined,
    );
    return () => {
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [link]);
  return address === null ? null : <img src={address} alt="The checked image" />;
}

type Appeal = Appeals['appeals'][number];

/** Draws an original that was sent, with the result of its comparison and the decision. */
function Sent(props: { appeal: Appeal; link: Link; onWithdrawn: () => Promise<void> }): JSX.Element {
  const { appeal, link, onWithdrawn } = props;
  const [fault, setFault] = useState('');
  const { decision, withdrawn_at: withdrawnAt, remark } = appeal;
  const preview = (appeal.record as { record: { picture: { preview?: { jpeg: string } | null } } }).record
    .picture.preview;
  const takeBack = (): void => {
    setFault('');
    withdraw(link, appeal.id)
      .then(onWithdrawn)
      .catch((error: unknown) => setFault(messageOf(error)));
  };
  return (
    <div class="card appeal">
      {preview && <img src={`data:image/jpeg;base64,${preview.jpeg}`} alt="The file that you sent" />}
      <div>
        <h2>{titleOf(appeal)}</h2>
        {decision && decision.remark !== '' && <p>“{decision.remark}”</p>}
        <p class="quiet small">
          Sent {formatMoment(appeal.created_at)}
          {decision && `, decided ${formatMoment(decision.at)}`}
          {withdrawnAt !== null && `, withdrawn ${formatMoment(withdrawnAt)}`}
        </p>
        {remark !== '' && <p>Your explanation: “{remark}”</p>}
        <AppealFacts findings={appeal} />
        <Fault fault={fault} />
        {decision === null && withdrawnAt === null && (
          <div class="actions">
            <button type="button" onClick={takeBack}>
              Withdraw this file
            </button>
          </div>
        )}
      </div>
    </div>
  );
}

function titleOf({ decision, withdrawn_at: withdrawnAt }: Appeal): string {
  if (withdrawnAt !== null) return 'You withdrew this file';
  if (decision === null) return 'Your appeal waits for a decision';
  return `The verdict was ${describeDecision(decision.outcome)}`;
}

/** Draws what happens next. */
function Next({ data }: { data: Appeals }): JSX.Element {
  const closed = explainClosed(data);
  const isWaiting = data.appeals.some((one) => one.decision === null && one.withdrawn_at === null);
  return (
    <div class="card">
      <h2>What happens next</h2>
      {closed !== null && <p>{closed}</p>}
      {isWaiting && (
        <p>A person compares both images and decides. Open this link again to read the decision.</p>
      )}
      {closed === null && !isWaiting && (
        <ol class="numbered">
          <li>You send the original file.</li>
          <li>Telltale compares it with the checked image and checks it, too.</li>
          <li>A person decides. Open this link again to read the decision.</li>
        </ol>
      )}
      {closed !== null && !isWaiting && <p>If you have questions, ask {data.link?.account}.</p>}
    </div>
  );
}
