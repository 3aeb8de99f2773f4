// Reads settings of the environment one by one, remembers which there are, and tells all faults at once.
import { resolve } from 'node:path';
import { findNearest } from './unknown-field.js';

/** Of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** No settings, but what the client's documents and the console tell people to export, often in the same shell. */
const CLIENT_VARIABLES: readonly string[] = ['TELLTALE_KEY', 'TELLTALE_URL'];

/** Names that Kubernetes gives to the addresses of Services called telltale, or telltale-SOMETHING. */
const SERVICE_LINK =
  /^TELLTALE(_\w+)?_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Values of a Service's `PORT`, which may have a setting's name, such as TELLTALE_PORT. */
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/** Reads TELLTALE_* one by one, and remembers faults and which names were asked for. */
export class SettingReader {
  readonly #environment: Environment;
  readonly #known = new Set<string>();
  readonly #faults: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Every name that was asked for, in that order. */
  get names(): readonly string[] {
    return [...this.#known];
  }

  /** Whether the environment says something of it. */
  isSet(name: string): boolean {
    return Boolean(this.#environment[name]);
  }

  /** Null: not set. */
  text(name: string): string | null {
    this.#known.add(`TELLTALE_${name}`);
    return this.#environment[`TELLTALE_${name}`] || null;
  }

  /** Absolute. */
  path(name: string): string | null {
    const value = this.text(name);
    return value === null ? null : resolve(value);
  }

  /** What `parse` makes of it; where that is null it is a fault, which says what was `expected`. */
  parsed<T>(name: string, parse: (text: string) => T | null, expected: string): T | null {
    const text = this.text(name);
    if (text === null) return null;
    const value = parse(text);
    // The value itself is not repeated if it may hold a password.
    const received = text.includes('@') ? 'another address' : `'${text}'`;
    if (value === null)
      this.#faults.push(`Expected ${expected} for TELLTALE_${name} but received ${received}`);
    return value;
  }

  /** From `least` to `most`. */
  integer(name: string, least: number, most: number): number | null {
    const parse = (text: string): number | null => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= least && value <= most ? value : null;
    };
    return this.parsed(name, parse, `a whole number from ${least} to ${most}`);
  }

  /** One of `values`. */
  oneOf<T extends string>(name: string, values: readonly T[]): T | null {
    return this.parsed(
      name,
      (text) => values.find((value) => value === text) ?? null,
      `one of ${values.join(', ')}`,
    );
  }

  /** Remembers a fault of several settings together. */
  refuse(fault: string): void {
    this.#faults.push(fault);
  }

  /** All faults: those so far, links of Kubernetes Services, and names that mean nothing. */
  finish(): readonly string[] {
    const names = Object.keys(this.#environment).filter((name) => name.startsWith('TELLTALE_'));
    const links = names.filter(
      (name) =>
        SERVICE_LINK.test(name) &&
        (!this.#known.has(name) || SERVICE_ADDRESS.test(this.#environment[name] ?? '')),
    );
    const unknown = names.filter(
      (name) => !this.#known.has(name) && !CLIENT_VARIABLES.includes(name) && !links.includes(name),
    );
    const known = [...this.#known].join(', ');
    return [
      ...this.#faults,
      ...(links.length > 0
        ? [
            `Kubernetes has set ${links.join(', ')} for a Service; set enableServiceLinks: false in the pod's spec`,
          ]
        : []),
      ...unknown.map((name) => {
        const near = findNearest(name, [...this.#known]);
        return `${name} is not a setting${near === null ? '' : `; did you mean ${near}?`}`;
      }),
      ...(unknown.length > 0 ? [`the settings are ${known}`] : []),
    ];
  }
}
