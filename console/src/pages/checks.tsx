// Checks: the history of the account, newest first.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CheckPage, Me, ShownCheck } from '../../../src/console/shapes.js';
import { ApiError, call } from '../api.js';
import { CheckDetail } from '../components/check-detail.js';
import { Fault, PageHead } from '../components/page-head.js';
import { formatMoment, formatMs, formatScore, SIGNAL_NAMES } from '../format.js';

const VERDICTS = {
  '': 'Every verdict',
  ai: 'AI detected',
  no_ai: 'No AI detected',
  reported: 'Reported as wrong',
};
const DETECTORS = { '': 'Every detector', ...SIGNAL_NAMES };

interface Filter {
  readonly verdict: string;
  readonly fired: string;
  readonly id: string;
}

/** The page. */
export function ChecksPage({ me }: { me: Me }): JSX.Element {
  const { history_days: days } = me.service;
  const [filter, setFilter] = useState<Filter>({ verdict: '', fired: '', id: '' });
  const [checks, setChecks] = useState<readonly ShownCheck[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [open, setOpen] = useState<string | null>(null);

  const load = async (before: string | null): Promise<void> => {
    const query = new URLSearchParams(
      Object.entries({ ...filter, before: before ?? '' }).filter(([, value]) => value !== ''),
    );
    try {
      const page = await call<CheckPage>('GET', `/checks?${query.toString()}`);
      setChecks((shown) => [...(before === null ? [] : (shown ?? [])), ...page.checks]);
      setNext(page.next);
      setError(null);
    } catch (fault) {
      if (fault instanceof ApiError) setError(fault);
    }
  };
  useEffect(() => void load(null), [filter]);

  const opened = checks?.find(({ id }) => id === open);
  const choose = (name: keyof Filter, value: string): void => setFilter({ ...filter, [name]: value });
  return (
    <>
      <PageHead
        title="Checks"
        lead={
          days === 0
            ? 'No history is kept here (TELLTALE_HISTORY_DAYS is 0).'
            : `Kept for ${days} days: numbers and verdicts. A picture is there only where it was asked to be kept.`
        }
      />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice
          name="Verdict"
          choices={VERDICTS}
          value={filter.verdict}
          onChoose={(value) => choose('verdict', value)}
        />
        <Choice
          name="Detector"
          choices={DETECTORS}
          value={filter.fired}
          onChoose={(value) => choose('fired', value)}
        />
        <input
          type="search"
          placeholder="chk_… identifier"
          aria-label="Identifier, or its start"
          pattern="chk_[0-9A-Z]*"
          onChange={(event) => {
            const text = event.currentTarget.value.trim();
            if (text === '' || /^chk_[0-9A-Z]{0,26}$/.test(text)) choose('id', text);
            else event.currentTarget.reportValidity();
          }}
        />
      </form>
      <Fault error={error} />
      {checks && (
        <section class="card flush">
          <div class="table-wrap" tabIndex={0} role="region" aria-label="Checks">
            <table class="history">
              <thead>
                <tr>
                  <th scope="col">Verdict</th>
                  <th scope="col">Time</th>
                  <th scope="col" class="number">
                    Picture
                  </th>
                  <th scope="col" class="number">
                    Face
                  </th>
                  <th scope="col">Profile</th>
                  <th scope="col">Made with</th>
                  <th scope="col" class="number">
                    Took
                  </th>
                  <th scope="col">Identifier</th>
                </tr>
              </thead>
              <tbody>
                {checks.map((check) => (
                  <Row key={check.id} check={check} onOpen={() => setOpen(check.id)} />
                ))}
                {checks.length === 0 && (
                  <tr>
                    <td colSpan={8} class="quiet">
                      No checks to show.
                    </td>
                  </tr>
                )}
              </tbody>
            </table>
          </div>
          {next !== null && (
            <button type="button" class="more" onClick={() => void load(next)}>
              Older checks
            </button>
          )}
        </section>
      )}
      {opened && (
        <CheckDetail
          check={opened}
          onClose={() => setOpen(null)}
          onChange={() => {
            setOpen(null);
            void load(null);
          }}
        />
      )}
    </>
  );
}

function Choice(props: {
  name: string;
  choices: Readonly<Record<string, string>>;
  value: string;
  onChoose: (value: string) => void;
}) {
  const { name, choices, value, onChoose } = props;
  return (
    <label class="inline">
      <span class="sr">{name}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {Object.entries(choices).map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Row({ check, onOpen }: { check: ShownCheck; onOpen: () => void }) {
  const { full_image_specialist: whole, face_specialist: face } = check.scores;
  return (
    <tr>
      <td>
        <button type="button" class="link" onClick={onOpen}>
          <span class={`word ${check.is_ai ? 'ai' : 'none'}`}>
            {check.is_ai ? 'AI detected' : 'No AI detected'}
          </span>
        </button>
        {check.report && <span class="tag">reported</span>}
        {check.image_stored && <span class="tag">picture</span>}
        {check.reason !== null && (
          <span class="why quiet small">{check.reason.replace(/^(No )?AI detected: /, '')}</span>
        )}
      </td>
      <td class="nowrap">{formatMoment(check.at)}</td>
      <td class="number">{whole === null ? '–' : formatScore(whole)}</td>
      <td class="number">{face === null ? '–' : formatScore(face)}</td>
      <td>{check.profile}</td>
      <td>{check.key?.name ?? check.member ?? 'a former member'}</td>
      <td class="number nowrap">{formatMs(check.latency_ms)}</td>
      <td>
        <code>{check.id}</code>
      </td>
    </tr>
  );
}
