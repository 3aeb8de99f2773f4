// The results as Markdown: printed at the end of a run, kept as results.md.
import type { Machine } from '../machine.js';
import { show } from './numbers.js';
import { isReached, type Goal, type Section, type Table } from './section.js';

/** The whole report. */
export function renderReport(machine: Machine, sections: readonly Section[], command: string): string {
  const goals = sections.flatMap((section) => section.goals);
  return [
    '# Bench results',
    '',
    `Made by \`${command}\` on ${machine.date}, commit ${machine.commit}.`,
    '',
    renderTable(describeMachine(machine)),
    ...(goals.length > 0 ? [renderTable(tableOfGoals(goals))] : []),
    ...sections.flatMap(({ title, tables, plots }) => [
      `## ${title}`,
      '',
      ...tables.map(renderTable),
      ...plots.map(({ name }) => `![${name}](${name}.svg)\n`),
    ]),
  ].join('\n');
}

/** One table with its title. */
export function renderTable({ title, head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [`**${title}**`, '', line(head), line(head.map(() => '---')), ...rows.map(line), ''].join('\n');
}

/** Goals beside what was measured. */
export function tableOfGoals(goals: readonly Goal[]): Table {
  return {
    title: 'Goals',
    head: ['goal', 'wanted', 'measured', 'reached', 'note'],
    rows: goals.map((goal) => {
      const reached = isReached(goal);
      const wanted = 'atLeast' in goal.wanted ? `≥ ${goal.wanted.atLeast}` : `≤ ${goal.wanted.atMost}`;
      const unit = goal.unit === '' ? '' : ` ${goal.unit}`;
      const verdict = reached === null ? 'not measured' : reached ? 'yes' : 'no';
      return [goal.what, `${wanted}${unit}`, `${show(goal.value)}${unit}`, verdict, goal.note];
    }),
  };
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
