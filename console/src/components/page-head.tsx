// The top of a page: title, one sentence and buttons.
import type { ComponentChildren, JSX } from 'preact';

export function PageHead(props: { title: string; lead?: string; children?: ComponentChildren }): JSX.Element {
  const { title, lead, children } = props;
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {lead !== undefined && <p class="quiet">{lead}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}
