// A table whose rows become cards on a phone. If it is too wide, the table scrolls instead of the page.
import { toChildArray, type ComponentChildren, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Heading of a column; columns of numbers are aligned right. */
export type Head = string | { readonly number: string };

/** Draws a table with the rows in `children`, or the text `empty` if there are no rows. */
export function DataTable(props: {
  /** Description of the table for screen readers. */
  name: string;
  heads: readonly Head[];
  /** True if the last column has buttons. */
  hasActions?: boolean;
  /** True if a long table scrolls within a fixed height. */
  isShort?: boolean;
  empty?: string;
  children: ComponentChildren;
}): JSX.Element {
  const { name, heads, hasActions = false, isShort = false, empty, children } = props;
  const table = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    if (table.current) labelCells(table.current, heads);
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

/**
 * Adds attributes to the cells. The heading is shown in each cell when rows are drawn as cards. ARIA roles are needed
 * because some browsers drop the roles of such a table.
 */
function labelCells(table: HTMLTableElement, heads: readonly Head[]): void {
  for (const part of [table, ...table.querySelectorAll('thead, tbody, tr, td')])
    part.setAttribute('role', ROLES[part.tagName] ?? '');
  for (const head of table.querySelectorAll('th'))
    head.setAttribute('role', head.scope === 'row' ? 'rowheader' : 'columnheader');
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('tbody :is(td, th)')) {
    const head = cell.colSpan > 1 ? undefined : heads[cell.cellIndex];
    if (head !== undefined) cell.dataset['head'] = typeof head === 'string' ? head : head.number;
  }
}
