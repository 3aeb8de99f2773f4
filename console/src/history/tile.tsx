// What a check's image looked like: small where it is kept, else its colours, which show nothing of it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';

/** A square. */
export function Tile({ check }: { check: ShownCheck }): JSX.Element {
  const [isMissing, setMissing] = useState(false);
  if (check.image_stored && !isMissing)
    return (
      <img
        class="tile"
        src={`/console/api/checks/${check.id}/thumbnail`}
        alt=""
        loading="lazy"
        onError={() => setMissing(true)}
      />
    );
  return (
    <span class="tile" aria-hidden="true">
      {check.colours.map((colour) => (
        <i key={colour} style={{ background: colour }} />
      ))}
    </span>
  );
}

/** What people call a check: its name, else the caller's own reference, else its identifier. */
export function nameOf({ name, ref, id }: ShownCheck): string {
  return name ?? ref ?? id;
}
