// The page that an appeal link opens: a person sees the verdict, sends the original image and reads the decision.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { AppealList } from '../../../src/service/http/openapi/appeal-schemas.js';
import { AppealFacts, type ShownFindings } from '../components/appeal-facts.js';
import { Fault } from '../components/fault.js';
import { asSentence, describeDecision, formatMoment, withoutVerdict } from '../format.js';
import { Mark } from '../frame.js';
import type { Static } from '@sinclair/typebox';

type Appeals = Static<typeof AppealList>;

/**
 * Reads the check and the token from the part of the address after `#`, which is never sent to a server. Removes both
 * from the address bar.
 */
function readLink(): { readonly id: string; readonly token: string } {
  const [id = '', token = ''] = window.location.hash.slice(1).split('.');
  window.history.replaceState(null, '', window.location.pathname);
  return { id, token };
}

async function ask<T>(link: ReturnType<typeof readLink>, form?: FormData): Promise<T> {
  const response = await fetch(`/v1/checks/${encodeURIComponent(link.id)}/appeals`, {
    method: form ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${link.token}` },
    ...(form && { body: form }),
  });
  const body = (await response.json()) as T & { error?: { message: string } };
  if (body.error) throw new Error(asSentence(body.error.message));
  return body;
}

export function AppealPage(): JSX.Element {
  const [link] = useState(readLink);
  const [loadedAppeals, setLoadedAppeals] = useState<Appeals | null>(null);
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const showError = (error: unknown): void =>
    setFault(error instanceof Error ? error.message : String(error));
  const load = (): Promise<void> => ask<Appeals>(link).then(setLoadedAppeals, showError);
  useEffect(() => void load(), [link]);
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setFault('');
    setBusy(true);
    ask(link, new FormData(form))
      .then(load)
      .then(() => form.reset())
      .catch(showError)
      .finally(() => setBusy(false));
  };
  return (
    <main class="door">
      <h1>
        <Mark /> Telltale
      </h1>
      {loadedAppeals && <Verdict check={loadedAppeals.check} />}
      {loadedAppeals?.appeals.map((appeal) => (
        <Answered key={appeal.id} appeal={appeal} />
      ))}
      {loadedAppeals && <OriginalForm isBusy={isBusy} onSend={send} />}
      <Fault fault={fault} />
    </main>
  );
}

function Verdict({ check }: { check: Appeals['check'] }): JSX.Element {
  return (
    <div class="card">
      <h2>{check.is_ai ? 'AI detected' : 'No AI detected'}</h2>
      <p>{check.reason === null ? '' : withoutVerdict(check.reason)}</p>
      <p class="quiet small">
        <code>{check.id}</code>, {formatMoment(check.created_at)}
      </p>
    </div>
  );
}

function Answered({ appeal }: { appeal: Appeals['appeals'][number] }): JSX.Element {
  const { decision } = appeal;
  return (
    <div class="card">
      <h2>
        {decision === null
          ? 'Your appeal waits for a decision'
          : `The verdict was ${describeDecision(decision.outcome)}`}
      </h2>
      {decision && decision.remark !== '' && <p>{decision.remark}</p>}
      <AppealFacts findings={appeal satisfies ShownFindings} />
    </div>
  );
}

function OriginalForm({
  isBusy,
  onSend,
}: {
  isBusy: boolean;
  onSend: (event: SubmitEvent) => void;
}): JSX.Element {
  return (
    <form class="card" onSubmit={onSend}>
      <h2>Send the original</h2>
      <p>
        Send the file as the camera or program wrote it, with its metadata and signature. It is compared with
        the checked image and checked itself. A small copy is stored with the appeal.
      </p>
      <label class="field">
        Image
        <input type="file" name="file" accept="image/*" required />
      </label>
      <label class="field">
        Your explanation
        <textarea name="remark" maxLength={1000} rows={4} />
      </label>
      <button type="submit" class="primary" disabled={isBusy}>
        {isBusy ? 'Comparing…' : 'Appeal'}
      </button>
    </form>
  );
}
