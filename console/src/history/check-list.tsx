// A list of checks. Each is a link to the check's page.
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';
import { chipOfCheck } from '../chip-words.js';
import { Chip } from '../components/chip.js';
import { formatMoment, nameScan, withoutVerdict } from '../format.js';
import { follow } from '../location.js';
import type { Selection } from './selection.js';
import { nameOf, Tile } from './tile.js';

/** Draws the list. `linkOf` returns the link for a check. `loadMore` loads older checks and is null at the end. */
export function CheckList(props: {
  /** True if all checks belong to one scan, so that the rows need not repeat its name and member. */
  isOfScan?: boolean;
  checks: readonly ShownCheck[];
  linkOf: (id: string) => string;
  loadMore: (() => void) | null;
  /** The selected checks; default: checks can't be selected. */
  selection?: Selection;
}): JSX.Element {
  const { checks, linkOf, loadMore, isOfScan = false, selection } = props;
  return (
    <section class="card flush">
      <ol class="history" aria-label="Checks">
        {checks.map((check) => (
          <Row
            key={check.id}
            check={check}
            link={linkOf(check.id)}
            isOfScan={isOfScan}
            selection={selection}
          />
        ))}
        {checks.length === 0 && <li class="quiet inside">No checks to show.</li>}
      </ol>
      {loadMore !== null && <Older loadMore={loadMore} />}
    </section>
  );
}

function Row(props: {
  check: ShownCheck;
  link: string;
  isOfScan: boolean;
  selection: Selection | undefined;
}): JSX.Element {
  const { check, link, isOfScan, selection } = props;
  const chip = chipOfCheck(check);
  return (
    <li>
      {selection && <Box check={check} selection={selection} />}
      <a href={link} onClick={follow} data-check={check.id}>
        <Tile check={check} />
        <span class="what">
          <span class="name">{nameOf(check)}</span>
          <span class="why quiet small">
            {chip.because ?? (check.reason === null ? '' : withoutVerdict(check.reason))}
          </span>
          {check.note !== null && check.note.text !== '' && (
            <span class="why small">“{check.note.text}”</span>
          )}
        </span>
        <span class="chips">
          <Chip chip={chip} />
          {check.note?.status && <span class="tag">{check.note.status}</span>}
          {check.claim && <span class="tag">taken by {check.claim.by}</span>}
          {check.report && <span class="tag">reported</span>}
          {check.appeal !== null && check.appeal !== 'overturned' && (
            <span class="tag">appeal {check.appeal}</span>
          )}
        </span>
        <span class="when quiet small">
          {formatMoment(check.at)}
          {!isOfScan && (
            <>
              <br />
              {check.key?.name ?? check.member ?? 'a former member'}
              {check.scan !== null && `, in ${nameScan(check.scan)}`}
            </>
          )}
        </span>
      </a>
    </li>
  );
}

/** Draws the box that selects a check. */
function Box({ check, selection: { ids, set } }: { check: ShownCheck; selection: Selection }): JSX.Element {
  const { id } = check;
  return (
    <label class="box">
      <input
        type="checkbox"
        aria-label={`Select ${nameOf(check)}`}
        checked={ids.has(id)}
        onChange={({ currentTarget: { checked } }) =>
          set(new Set(checked ? [...ids, id] : [...ids].filter((one) => one !== id)))
        }
      />
    </label>
  );
}

/** Draws a button that loads older checks when it is pressed or becomes visible. */
function Older({ loadMore }: { loadMore: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(loadMore);
  latest.current = loadMore;
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    });
    if (button.current) watcher.observe(button.current);
    return () => watcher.disconnect();
  }, []);
  return (
    <button ref={button} type="button" class="more" onClick={loadMore}>
      Older checks
    </button>
  );
}
