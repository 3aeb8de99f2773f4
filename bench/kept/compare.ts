// This run's numbers beside those of runs before.
import { isDeepStrictEqual } from 'node:util';
import { show } from '../report/numbers.js';
import type { Table } from '../report/section.js';
import { median } from '../statistics.js';
import { writeResults, type KeptResults, type KeptRow, type Results } from './results.js';

/** Beyond this, up or down, a difference is shown in bold. Chosen: what differs less may be chance. */
const REMARKABLE = 1.1;

/** A number under a name, as two runs may both have it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** What it was measured with; null for a goal, whose name says it. */
  readonly settings: unknown;
}

/** A number of this run and the newest kept one of the same name, settings and conditions. */
export interface Pair {
  readonly name: string;
  readonly now: number;
  readonly before: number;
  readonly from: KeptResults;
}

/** Tables for the report: which results, and the pairs. `kept` newest first. */
export function compareResults(now: Results, kept: readonly KeptResults[]): Table[] {
  const pairs = pairUp(now, kept);
  if (pairs.length === 0)
    return [
      {
        title: 'Nothing that was kept has the same trials, settings and conditions',
        head: ['results looked at'],
        rows: kept.map(({ name }) => [name]),
      },
    ];
  const used = kept.filter((results) => pairs.some(({ from }) => from === results));
  return [tableOfRuns(now, used), tableOfPairs(pairs)];
}

/** Each number of this run that an earlier one has, too. */
export function pairUp(now: Results, kept: readonly KeptResults[]): Pair[] {
  const alike = kept
    .filter(({ conditions }) => isDeepStrictEqual(conditions, now.conditions))
    .map((from) => ({ from, figures: figuresOf(from) }));
  return figuresOf(now).flatMap(({ name, value, settings }) => {
    for (const { from, figures } of alike) {
      const found = figures.find(
        (figure) => figure.name === name && isDeepStrictEqual(figure.settings, settings),
      );
      if (found) return [{ name, now: value, before: found.value, from }];
    }
    return [];
  });
}

/** Goals, then checks a second and latencies of trials; rounds of one trial as their median. */
export function figuresOf(results: Results): Figure[] {
  // As they are read again: paths without their folders.
  const { goals, rows } = JSON.parse(writeResults(results)) as Results;
  const trials = new Map<string, KeptRow[]>();
  for (const row of rows) {
    const name = `${row.group}: ${row.name.replace(/, round \d+$/, '')}`;
    trials.set(name, [...(trials.get(name) ?? []), row]);
  }
  const figures: Figure[] = goals.map(({ what, value }) => ({
    name: what,
    value: value ?? NaN,
    settings: null,
  }));
  for (const [name, rounds] of trials)
    for (const { label, read } of READINGS) {
      const value = median(rounds.map(({ result }) => read(result)));
      figures.push({ name: `${name}: ${label}`, value, settings: rounds[0]?.settings });
    }
  return figures.filter(({ value }) => Number.isFinite(value));
}

interface Loop {
  readonly perSecond?: number;
  readonly latency?: { readonly p50?: number; readonly p99?: number };
}

const READINGS: readonly { readonly label: string; readonly read: (result: unknown) => number }[] = [
  { label: 'a second', read: (result) => loopOf(result).perSecond ?? NaN },
  { label: 'p50 ms', read: (result) => loopOf(result).latency?.p50 ?? NaN },
  { label: 'p99 ms', read: (result) => loopOf(result).latency?.p99 ?? NaN },
];

/** The loop that a trial's result is, or holds. */
function loopOf(result: unknown): Loop {
  const { loop, ...rest } = (result ?? {}) as Loop & { readonly loop?: Loop };
  return loop ?? rest;
}

function tableOfRuns(now: Results, used: readonly KeptResults[]): Table {
  return {
    title: 'Compared with',
    head: ['results', 'made', 'commit', 'processor', 'cores', 'networks'],
    rows: [{ ...now, name: 'this run' }, ...used].map(({ name, machine }) => [
      name,
      machine.date,
      machine.commit,
      machine.processor,
      String(machine.cores),
      isDeepStrictEqual(machine.models, now.machine.models) ? 'the same' : 'others',
    ]),
  };
}

function tableOfPairs(pairs: readonly Pair[]): Table {
  return {
    title: 'Now and then; in bold what differs by more than a tenth',
    head: ['what', 'now', 'then', 'now ÷ then', 'results'],
    rows: pairs.map(({ name, now, before, from }) => {
      const ratio = now / before;
      const isRemarkable = !(ratio < REMARKABLE && ratio > 1 / REMARKABLE);
      return [name, show(now), show(before), isRemarkable ? `**${show(ratio)}**` : show(ratio), from.name];
    }),
  };
}
