// A small square for a check in lists: its stored image, or a pattern of the image's colours, which does not reveal
// the image.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';

export function Tile({ check }: { check: Pick<ShownCheck, 'id' | 'image_stored' | 'colours'> }): JSX.Element {
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

/** Returns the name under which a check is shown: the file name, the caller's reference or the identifier. */
export function nameOf({ name, ref, id }: ShownCheck): string {
  return name ?? ref ?? id;
}
