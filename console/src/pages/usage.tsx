// The page Usage: quota of the month, checks per day, and checks by key or member.
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { OUTCOMES, type Outcome } from '../../../src/accounts/history/outcomes.js';
import { OUTCOME_NAMES } from '../chip-words.js';
import type { Me, Usage } from '../../../src/service/console/shapes.js';
import { DataTable } from '../components/data-table.js';
import { DayChart, ShareChart } from '../components/day-chart.js';
import { Fault } from '../components/fault.js';
import { PageHead } from '../components/page-head.js';
import { saveCsv } from '../save-file.js';
import { formatAnyScore, formatCount, formatDay } from '../format.js';
import { useLoaded } from '../load.js';

const RANGES = { month: 'This month', 30: 'Last 30 days', 90: 'Last 90 days', 365: 'Last 365 days' } as const;
type Range = keyof typeof RANGES;

/** Returns the query for a range of days that ends today. */
function queryOf(range: string): string {
  if (range === 'month') return '';
  const from = new Date(Date.now() - (Number(range) - 1) * 86_400_000);
  return `?from=${from.toISOString().slice(0, 10)}`;
}

export function UsagePage({ me }: { me: Me }): JSX.Element {
  const [range, setRange] = useState<string>('month');
  const [isTable, setTable] = useState(false);
  const query = useMemo(() => queryOf(range), [range]);
  const { data, error, reload } = useLoaded<Usage>(`/usage${query}`);
  return (
    <>
      <PageHead title="Usage" introduction="Successful checks are counted; refused and failed ones are not.">
        <button type="button" onClick={reload}>
          Refresh
        </button>
      </PageHead>
      <Fault fault={error} />
      {data && (
        <>
          <Plans usage={data} />
          <section class="card" aria-labelledby="days-title">
            <header class="card-head">
              <h2 id="days-title">Checks per day</h2>
              <div class="actions">
                <label class="inline">
                  <span class="sr">Days</span>
                  <select value={range} onChange={(event) => setRange(event.currentTarget.value)}>
                    {(Object.keys(RANGES) as unknown as Range[]).map((name) => (
                      <option key={name} value={name}>
                        {RANGES[name]}
                      </option>
                    ))}
                  </select>
                </label>
                <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
                  Table
                </button>
                <button
                  type="button"
                  onClick={() =>
                    saveCsv('telltale-usage.csv', [
                      ['date', 'checks'],
                      ...data.days.map(({ date, checks }) => [date, checks]),
                    ])
                  }
                >
                  CSV
                </button>
              </div>
            </header>
            {isTable ? <DayTable days={data.days} /> : <DayChart days={data.days} />}
            <p class="quiet small">
              {formatCount(data.days.reduce((sum, { checks }) => sum + checks, 0))} checks in these days. Days
              are UTC, as the quota counts them.
            </p>
          </section>
          {me.service.history_days > 0 && <VerdictCard verdicts={data.verdicts} />}
          <Division usage={data} historyDays={me.service.history_days} />
        </>
      )}
    </>
  );
}

function Plans({ usage }: { usage: Usage }) {
  return (
    <div class="cards">
      {usage.plans.map((plan) => {
        const quota = plan.checks_per_month;
        return (
          <section class="card" key={plan.name} aria-label={`Plan ${plan.name}`}>
            <h2>
              Plan {plan.name} <span class="quiet">this month</span>
            </h2>
            <p class="big">
              <strong data-testid="used">{formatCount(plan.used)}</strong>{' '}
              <span class="quiet">
                {quota === null ? 'checks, no limit' : `of ${formatCount(quota)} checks`}
              </span>
            </p>
            {quota !== null && (
              <div
                class={`track${plan.used >= quota * 0.9 ? ' fired' : ''}`}
                role="meter"
                aria-valuemin={0}
                aria-valuemax={quota}
                aria-valuenow={plan.used}
                aria-label={`Part of the quota of plan ${plan.name}`}
              >
                <div
                  class="fill"
                  style={{ width: `${Math.min(100, (plan.used / Math.max(1, quota)) * 100)}%` }}
                />
              </div>
            )}
            <p class="quiet small">
              {plan.requests_per_second} requests a second ({plan.burst} at once),{' '}
              {plan.batch ? 'with' : 'without'} batches,{' '}
              {plan.scan_items === 0
                ? 'without scans'
                : `scans of ${formatCount(plan.scan_items)} items, ${plan.scans_at_once} at once`}
              . The next month starts on {formatDay(usage.period.end)}.
            </p>
          </section>
        );
      })}
    </div>
  );
}

/** Draws verdicts and scores of these days, if the history still has them. */
function VerdictCard({ verdicts }: { verdicts: Usage['verdicts'] }) {
  const [isTable, setTable] = useState(false);
  const lines = useMemo(
    () => [
      { label: 'AI share', values: verdicts.map(shareOf) },
      { label: 'Median score', values: verdicts.map((day) => day.median_score) },
    ],
    [verdicts],
  );
  return (
    <section class="card" aria-labelledby="verdicts-title">
      <header class="card-head">
        <h2 id="verdicts-title">Results and scores by day</h2>
        <div class="actions">
          <button type="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            Table
          </button>
          <button
            type="button"
            onClick={() =>
              saveCsv('telltale-verdicts.csv', [
                ['date', ...OUTCOMES, 'median_score'],
                ...verdicts.map((day) => [
                  day.date,
                  ...OUTCOMES.map((name) => day[name]),
                  day.median_score ?? '',
                ]),
              ])
            }
          >
            CSV
          </button>
        </div>
      </header>
      {isTable ? (
        <VerdictTable verdicts={verdicts} />
      ) : (
        <ShareChart days={verdicts.map(({ date }) => date)} lines={lines} />
      )}
      <p class="quiet small">
        Solid: share of checks with the result AI detected; dashed: median score of the whole image. A jump
        may come from other images, another model or other thresholds.
      </p>
    </section>
  );
}

type Counts = Readonly<Record<Outcome, number>>;

const totalOf = (counts: Counts): number => OUTCOMES.reduce((sum, name) => sum + counts[name], 0);

/** Returns the share of checks with the headline AI detected, or null without checks. */
function shareOf(counts: Counts): number | null {
  const total = totalOf(counts);
  return total === 0 ? null : counts.likely_ai / total;
}

const HEADS = OUTCOMES.map((name) => ({ number: OUTCOME_NAMES[name] }));

/** Draws one cell for each headline. */
function CountCells({ counts }: { counts: Counts }): JSX.Element {
  return (
    <>
      {OUTCOMES.map((name) => (
        <td key={name} class="number">
          {formatCount(counts[name])}
        </td>
      ))}
    </>
  );
}

function VerdictTable({ verdicts }: { verdicts: Usage['verdicts'] }) {
  return (
    <DataTable
      name="Results and scores by day"
      heads={[
        'Day (UTC)',
        { number: 'Checks' },
        ...HEADS,
        { number: 'AI share' },
        { number: 'Median score' },
      ]}
      isShort
    >
      {[...verdicts].reverse().map((day) => {
        const share = shareOf(day);
        return (
          <tr key={day.date}>
            <td>{day.date}</td>
            <td class="number">{formatCount(totalOf(day))}</td>
            <CountCells counts={day} />
            <td class="number">{share === null ? '–' : `${Math.round(share * 100)}%`}</td>
            <td class="number">{formatAnyScore(day.median_score)}</td>
          </tr>
        );
      })}
    </DataTable>
  );
}

function DayTable({ days }: { days: Usage['days'] }) {
  return (
    <DataTable name="Checks per day" heads={['Day (UTC)', { number: 'Checks' }]} isShort>
      {[...days].reverse().map(({ date, checks }) => (
        <tr key={date}>
          <td>{date}</td>
          <td class="number">{formatCount(checks)}</td>
        </tr>
      ))}
    </DataTable>
  );
}

function Division({ usage, historyDays }: { usage: Usage; historyDays: number }) {
  if (historyDays === 0)
    return (
      <p class="quiet">This service stores no history, so checks can’t be counted by key and outcome.</p>
    );
  return (
    <section class="card" aria-labelledby="division-title">
      <h2 id="division-title">
        By key and outcome{' '}
        <span class="quiet">this month, as far as the history of {historyDays} days goes</span>
      </h2>
      <DataTable
        name="By key and outcome"
        heads={['Made with', ...HEADS, { number: 'Checks' }]}
        empty="No checks yet."
      >
        {usage.by_key.map(({ key, ...counts }) => (
          <tr key={key?.id ?? 'hand'}>
            <td>
              {key ? (
                <>
                  {key.name} <code class="quiet">{key.id}</code>
                </>
              ) : (
                'By hand, in the console'
              )}
            </td>
            <CountCells counts={counts} />
            <td class="number">{formatCount(totalOf(counts))}</td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}
