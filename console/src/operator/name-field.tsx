// The name that an operator gives what is to be learned.
import type { JSX } from 'preact';

/** A required field `name`; the same rule holds in the service. `of`: what is named, such as `a correction`. */
export function NameField({ of, label }: { of: string; label: string }): JSX.Element {
  return (
    <input
      name="name"
      required
      maxLength={32}
      pattern="[0-9A-Za-z]([0-9A-Za-z\-]*[0-9A-Za-z])?"
      title="letters, digits and dashes"
      placeholder={`name of ${of}`}
      aria-label={label}
    />
  );
}
