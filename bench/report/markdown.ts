// The bench's report in Markdown, printed at the end of a run and saved as results.md.
import { showBound } from '../goals.js';
import type { Machine } from '../machine/machine.js';
import { show } from './section.js';
import { findAlarms, tableOfWork } from './alarms.js';
import { isFaulty, isReached, type Goal, type Section, type Table } from './section.js';
import type { Row } from '../trials/runner.js';

export interface Report {
  readonly machine: Machine;
  readonly sections: readonly Section[];
  readonly rows: readonly Row[];
  readonly command: string;
  /** True for a run that is too short to measure anything. The report then does not say which goals are reached. */
  readonly isQuick: boolean;
  /** Comparison with earlier results. Often empty. */
  readonly comparison: readonly Table[];
}

export function renderReport({ machine, sections, rows, command, isQuick, comparison }: Report): string {
  const goals = sections.flatMap((section) => section.goals);
  const alarms = findAlarms(machine, rows, isQuick ? [] : goals);
  return [
    '# Bench results',
    '',
    `Made by \`${command}\` on ${machine.date}, commit ${machine.commit}.`,
    '',
    ...(isQuick
      ? ['**A quick run: it shows that everything works; its numbers are no measurement.**', '']
      : []),
    ...(alarms.length > 0
      ? ['**These numbers are doubtful:**', '', ...alarms.map((alarm) => `* ${alarm}`), '']
      : []),
    renderTable(describeMachine(machine)),
    renderTable(tableOfWork(rows)),
    ...(goals.length > 0 ? [renderTable(tableOfGoals(goals, isQuick))] : []),
    ...comparison.map(renderTable),
    ...sections.flatMap(({ title, tables }) => [`## ${title}`, '', ...tables.map(renderTable)]),
  ].join('\n');
}

export function renderTable({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [`**${title}**`, '', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

/** Returns a table of goals and measured values. After a quick run, the table does not say which goals are reached. */
export function tableOfGoals(goals: readonly Goal[], isQuick: boolean): Table {
  return {
    title: 'Goals',
    head: ['goal', 'wanted', 'measured', ...(isQuick ? [] : ['reached']), 'note'],
    rows: goals.map((goal) => {
      const unit = goal.unit === '' ? '' : ` ${goal.unit}`;
      const verdict = isQuick ? [] : [judge(goal)];
      return [
        goal.what,
        `${showBound(goal.wanted)}${unit}`,
        `${show(goal.value)}${unit}`,
        ...verdict,
        goal.note,
      ];
    }),
  };
}

function judge(goal: Goal): string {
  if (isFaulty(goal)) return 'faulty run';
  const reached = isReached(goal);
  return reached === null ? 'not measured' : reached ? 'yes' : 'no';
}

function describeMachine(machine: Machine): Table {
  return {
    title: 'Machine',
    head: ['what', 'value'],
    rows: [
      ['processor', `${machine.processor}, ${machine.cores} cores available`],
      ['memory', `${show(machine.memoryGb)} GB`],
      ['system', machine.system],
      ['load average before the run', machine.loadBefore.map(show).join(', ')],
      ...Object.entries(machine.versions).map(([name, version]) => [name, version]),
      ...Object.entries(machine.models).map(([name, hash]) => [name, `sha256 ${hash.slice(0, 16)}…`]),
    ],
  };
}
