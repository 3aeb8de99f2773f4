// The top of a page: title, one sentence and buttons.
import type { ComponentChildren, JSX } from 'preact';

export function PageHead(props: {
  title: string;
  introduction?: string;
  children?: ComponentChildren;
}): JSX.Element {
  const { title, introduction, children } = props;
  return (
    <header class="page-head">
      <div>
        <h1>{title}</h1>
        {introduction !== undefined && <p class="quiet">{introduction}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}
