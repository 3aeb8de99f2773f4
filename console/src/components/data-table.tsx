// A table that scrolls by itself where the page is narrow, also by the keyboard.
import { toChildArray, type ComponentChildren, type JSX } from 'preact';

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
  return (
    <div class={isShort ? 'table-wrap short' : 'table-wrap'} tabIndex={0} role="region" aria-label={name}>
      <table>
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
