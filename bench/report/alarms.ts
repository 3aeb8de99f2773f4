// Reasons to doubt the numbers of a run, such as other programs that used the machine.
import type { Machine } from '../machine/machine.js';
import { MAX_OTHER_WORK, isTooMuch } from '../machine/other-work.js';
import type { Row } from '../trials/runner.js';
import { columns, show } from './section.js';
import { isFaulty, type Goal, type Table } from './section.js';

/** Returns one sentence per reason to doubt the run. Returns an empty list for a good run. */
export function findAlarms(
  { loadBefore, cores }: Pick<Machine, 'loadBefore' | 'cores'>,
  rows: readonly Row[],
  goals: readonly Goal[],
): string[] {
  const before = alarmBefore({ loadBefore, cores });
  return [
    ...(before === null ? [] : [before]),
    ...workByGroup(rows)
      .filter(({ worst }) => isTooMuch(worst.load?.others))
      .map(
        ({ group, worst }) =>
          `${group}: other programs took ${show(worst.load?.others ?? NaN)} of each core during '${worst.name}' ` +
          `(at most ${MAX_OTHER_WORK} is wanted).`,
      ),
    ...rows.flatMap(({ group, name, failure }) =>
      failure === null ? [] : [`${group}: '${name}' failed and is missing below: ${failure}.`],
    ),
    ...goals
      .filter(isFaulty)
      .map(
        ({ what, value, faultyAbove }) =>
          `A faulty run: ${what} is ${show(value)}, and more than ${faultyAbove} can't be. Something slowed down what it is compared with; measure again.`,
      ),
  ];
}

/** Returns a sentence if the machine was busy before the bench began. Otherwise returns null. */
export function alarmBefore({ loadBefore, cores }: Pick<Machine, 'loadBefore' | 'cores'>): string | null {
  const load = (loadBefore[0] ?? NaN) / cores;
  return isTooMuch(load)
    ? `The load average of the minute before the run was ${show(load)} a core (at most ${MAX_OTHER_WORK} is wanted).`
    : null;
}

/** Returns a table of the machine's load, and of other programs' share of it, during each group of measurements. */
export function tableOfWork(rows: readonly Row[]): Table {
  return {
    title: 'Other programs while the groups ran',
    head: columns(
      'group | s | highest load average, the bench included | taken by others of each core | most of it | during',
    ),
    rows: workByGroup(rows).map(({ group, seconds, average, others, worst }) => [
      group,
      show(seconds),
      show(average),
      show(others),
      show(worst.load?.others ?? NaN),
      worst.name,
    ]),
  };
}

function workByGroup(rows: readonly Row[]) {
  const groups = [...new Set(rows.filter(({ load }) => load !== null).map(({ group }) => group))];
  return groups.map((group) => {
    const groupRows = rows.filter((row) => row.group === group && row.load !== null);
    const seconds = groupRows.reduce((sum, row) => sum + row.seconds, 0);
    const others = groupRows.reduce((sum, row) => sum + (row.load?.others ?? 0) * row.seconds, 0) / seconds;
    const average = Math.max(...groupRows.map(({ load }) => load?.average ?? 0));
    const worst = groupRows.reduce((worstSoFar, row) =>
      (row.load?.others ?? 0) > (worstSoFar.load?.others ?? 0) ? row : worstSoFar,
    );
    return { group, seconds, average, others, worst };
  });
}
