// The console's share: /v1 alone, beside people on the Try page, and beside as many callers who ask the same by /v1.
import { GOALS } from '../goals.js';
import type { Durations } from '../durations.js';
import { show } from '../report/numbers.js';
import type { Goal, Section, Table } from '../report/section.js';
import { median, ratioOfRounds } from '../statistics.js';
import { whyNoTelltale } from '../targets/telltale.js';
import type { Beside } from '../trials/http-beside.js';
import type { TrialResult } from '../trials/kinds.js';
import type { Context } from './context.js';

type Result = TrialResult<'http-beside'>;

/** Chosen: short for a look at a verdict, so that the people ask more than people do. */
const THINK_MS = 1000;

const nameOf = (beside: Beside, count: number): string =>
  ({
    nobody: 'nobody',
    people: `${count} people on the Try page`,
    callers: `${count} callers of /v1 who ask the same`,
  })[beside];

/** Runs the group. */
export async function measureConsole(context: Context): Promise<Section> {
  const missing = whyNoTelltale('sqlite');
  if (missing !== null) {
    context.runner.skip('console', 'people on the Try page', missing);
    return { title: 'Console', tables: [], goals: [], plots: [] };
  }
  const { people } = context.durations;
  const rounds: Record<Beside, Result[]> = { nobody: [], people: [], callers: [] };
  for (let round = 1; round <= context.durations.rounds; round += 1) {
    for (const beside of ['nobody', 'people', 'callers'] as const) {
      const result = await runBeside(context, beside, round);
      if (result) rounds[beside].push(result);
    }
  }
  return {
    title: 'Console',
    tables: [tableOf(rounds, context.durations)],
    goals: goalsOf(rounds, people),
    plots: [],
  };
}

function runBeside(
  { runner, loads, durations, options }: Context,
  beside: Beside,
  round: number,
): Promise<Result | null> {
  return runner.run(
    'console',
    `/v1 beside ${nameOf(beside, durations.people)}, round ${round}`,
    'http-beside',
    {
      device: options.device,
      files: loads.photo,
      connections: durations.callers,
      beside,
      count: durations.people,
      thinkMs: THINK_MS,
      seconds: durations.peopleSeconds,
      warmUpSeconds: durations.warmUpSeconds,
    },
  );
}

function tableOf(
  rounds: Readonly<Record<Beside, readonly Result[]>>,
  { callers, people: count }: Durations,
): Table {
  const over = (results: readonly Result[], value: (result: Result) => number): string =>
    show(median(results.map(value)));
  const sum = (results: readonly Result[], value: (result: Result) => number): string =>
    String(results.reduce((total, result) => total + value(result), 0));
  return {
    title:
      `/v1/check by ${callers} connections (multipart, SQLite, load photo) while others check pictures and ` +
      `look at each for ${THINK_MS / 1000} s: medians of the rounds`,
    head: [
      'beside',
      '/v1 checks/s',
      'p50 ms',
      'p99 ms',
      'failures',
      'their checks/s',
      'p50 ms',
      'p99 ms',
      'failures',
      'all checks/s',
    ],
    rows: (['nobody', 'people', 'callers'] as const).map((beside) => {
      const results = rounds[beside];
      return [
        nameOf(beside, count),
        over(results, ({ loop }) => loop.perSecond),
        over(results, ({ loop }) => loop.latency.p50),
        over(results, ({ loop }) => loop.latency.p99),
        sum(results, ({ loop }) => loop.failures),
        over(results, (result) => result.beside.perSecond),
        over(results, (result) => result.beside.latency.p50),
        over(results, (result) => result.beside.latency.p99),
        sum(results, (result) => result.beside.failures),
        over(results, ({ loop, beside: others }) => loop.perSecond + others.perSecond),
      ];
    }),
  };
}

function goalsOf(
  { people, callers, nobody }: Readonly<Record<Beside, readonly Result[]>>,
  count: number,
): Goal[] {
  if (people.length !== callers.length || people.length !== nobody.length) return [];
  const compare = (value: (result: Result) => number, to: readonly Result[]) =>
    ratioOfRounds(people.map(value), to.map(value));
  const speed = ({ loop }: Result): number => loop.perSecond;
  const [throughput, alone] = [compare(speed, callers), compare(speed, nobody)];
  const latency = compare(({ loop }) => loop.latency.p99, callers);
  const range = ({ rounds, least, greatest }: typeof latency): string =>
    `${rounds} rounds, ${show(least)} to ${show(greatest)}`;
  return [
    {
      what: `/v1 throughput beside ${count} people in the console ÷ beside ${count} callers who ask the same`,
      value: throughput.median,
      unit: '',
      wanted: GOALS.besidePeopleThroughput,
      note: `${range(throughput)}; ÷ /v1 alone: ${show(alone.median)}`,
    },
    {
      what: `/v1 p99 beside ${count} people in the console ÷ beside ${count} callers who ask the same`,
      value: latency.median,
      unit: '',
      wanted: GOALS.besidePeopleTail,
      note: `${range(latency)}; of ${people.map(({ loop }) => loop.checks).join(', ')} requests`,
    },
  ];
}
