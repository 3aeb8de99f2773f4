// A small square for a check: its stored image, else a pattern of its colours, which reveals nothing of the
// image.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ShownCheck } from '../../../src/service/console/shapes.js';

/** Draws the square. */
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

/** Returns the display name of a check: file name, else reference, else identifier. */
export function nameOf({ name, ref, id }: ShownCheck): string {
  return name ?? ref ?? id;
}
