// Checks: the history of the account, newest first.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CheckPage, Me, ShownCheck } from '../../../src/service/console/shapes.js';
import { ApiError, call } from '../api.js';
import { CheckDetail } from '../components/check-detail.js';
import { DataTable } from '../components/data-table.js';
import { Fault } from '../components/fault.js';
import { PageHead } from '../components/page-head.js';
import { formatAnyScore, formatMoment, formatMs, SIGNAL_NAMES } from '../format.js';

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

  // Counts the requests: an answer that comes after a newer request says nothing any more.
  const turn = useRef(0);
  const [isLoading, setLoading] = useState(false);

  const load = async (before: string | null): Promise<void> => {
    turn.current += 1;
    const mine = turn.current;
    const isCurrent = (): boolean => mine === turn.current;
    setLoading(true);
    const query = new URLSearchParams(
      Object.entries({ ...filter, before: before ?? '' }).filter(([, value]) => value !== ''),
    );
    try {
      const page = await call<CheckPage>('GET', `/checks?${query.toString()}`);
      if (!isCurrent()) return;
      setChecks((shown) => [...(before === null ? [] : (shown ?? [])), ...page.checks]);
      setNext(page.next);
      setError(null);
    } catch (fault) {
      if (isCurrent() && fault instanceof ApiError) setError(fault);
    } finally {
      if (isCurrent()) setLoading(false);
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
      <Fault fault={error} />
      {checks && (
        <section class="card flush">
          <DataTable
            name="Checks"
            heads={[
              'Verdict',
              'Time',
              { number: 'Picture' },
              { number: 'Face' },
              'Profile',
              'Made with',
              { number: 'Took' },
              'Identifier',
            ]}
            empty="No checks to show."
          >
            {checks.map((check) => (
              <Row key={check.id} check={check} onOpen={() => setOpen(check.id)} />
            ))}
          </DataTable>
          {next !== null && (
            <button type="button" class="more" disabled={isLoading} onClick={() => void load(next)}>
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
      <td class="number">{formatAnyScore(whole)}</td>
      <td class="number">{formatAnyScore(face)}</td>
      <td>{check.profile}</td>
      <td>{check.key?.name ?? check.member ?? 'a former member'}</td>
      <td class="number nowrap">{formatMs(check.latency_ms)}</td>
      <td>
        <code>{check.id}</code>
      </td>
    </tr>
  );
}
