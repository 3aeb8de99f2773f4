// A table; on a phone each of its rows is a card. What is too wide all the same scrolls by itself, also by the keyboard.
import { toChildArray, type ComponentChildren, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The heading of a column; those of numbers stand to the right. */
export type Head = string | { readonly number: string };

/** `children` are the rows; where there are none, `empty` says so. */
export function DataTable(props: {
  /** What is in it, for who does not see it. */
  name: string;
  heads: readonly Head[];
  /** A last column holds buttons. */
  hasActions?: boolean;
  /** Scrolls in a height of its own: for long ones within a card. */
  isShort?: boolean;
  empty?: string;
  children: ComponentChildren;
}): JSX.Element {
  const { name, heads, hasActions = false, isShort = false, empty, children } = props;
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    if (table.current) tellHeads(table.current, heads);
  });
  return (
    <div class={isShort ? 'table-wrap short' : 'table-wrap'} tabIndex={0} role="region" aria-label={name}>
      <table ref={table}>
        <thead>
          <tr>
            {heads.map((head, column) => (
              <th key={column} scope="col" class={typeof head === 'string' ? '' : 'number'}>
                {typeof head === 'string' ? head : head.number}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
                <span class="sr">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {children}
          {empty !== undefined && toChildArray(children).length === 0 && (
            <tr>
              <td colSpan={heads.length + Number(hasActions)} class="quiet">
                {empty}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

const ROLES: Readonly<Record<string, string>> = {
  TABLE: 'table',
  THEAD: 'rowgroup',
  TBODY: 'rowgroup',
  TR: 'row',
  TD: 'cell',
};

/** Writes into each cell what its column is called, for cards; and roles, which some browsers forget of a table laid out as cards. */
function tellHeads(table: HTMLTableElement, heads: readonly Head[]): void {
  for (const part of [table, ...table.querySelectorAll('thead, tbody, tr, td')])
    part.setAttribute('role', ROLES[part.tagName] ?? '');
  for (const head of table.querySelectorAll('th'))
    head.setAttribute('role', head.scope === 'row' ? 'rowheader' : 'columnheader');
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('tbody :is(td, th)')) {
    const head = cell.colSpan > 1 ? undefined : heads[cell.cellIndex];
    if (head !== undefined) cell.dataset['head'] = typeof head === 'string' ? head : head.number;
  }
}
