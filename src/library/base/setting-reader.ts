// Reading settings from environment variables one by one and reporting all errors together.
import { resolve } from 'node:path';
import { findNearest } from './unknown-field.js';

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that only clients read. The service accepts them, because people export them in the same shell.
 */
const CLIENT_VARIABLES: readonly string[] = ['TELLTALE_KEY', 'TELLTALE_URL'];

/** Pattern of variable names that Kubernetes sets for Services named telltale or telltale-SOMETHING. */
const SERVICE_LINK =
  /^TELLTALE(_\w+)?_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

/** Pattern of an address that Kubernetes sets, as in TELLTALE_PORT for a Service named `telltale`. */
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/** Reads settings from TELLTALE_* variables and collects errors and the names of all settings. */
export class SettingReader {
  readonly #environment: Environment;
  readonly #known = new Set<string>();
  readonly #faults: string[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  get names(): readonly string[] {
    return [...this.#known];
  }

  /** Returns true if the environment has a variable with this full name whose value is not empty. */
  isSet(name: string): boolean {
    return Boolean(this.#environment[name]);
  }

  /** Returns the value of TELLTALE_NAME, or null if it is missing or empty. */
  text(name: string): string | null {
    this.#known.add(`TELLTALE_${name}`);
    return this.#environment[`TELLTALE_${name}`] || null;
  }

  /** Returns the value as an absolute path, or null if it is missing. */
  path(name: string): string | null {
    const value = this.text(name);
    return value === null ? null : resolve(value);
  }

  /** Returns the value as converted by `parse`. If `parse` returns null, records an error with `expected`. */
  parsed<T>(name: string, parse: (text: string) => T | null, expected: string): T | null {
    const text = this.text(name);
    if (text === null) return null;
    const value = parse(text);
    // Hides a value that may contain a password.
    const received = text.includes('@') ? 'another address' : `'${text}'`;
    if (value === null)
      this.#faults.push(`Expected ${expected} for TELLTALE_${name} but received ${received}`);
    return value;
  }

  /**
   * Returns the setting's value as a whole number from `least` to `most`, or null. Records an error if the
   * value is invalid.
   */
  integer(name: string, least: number, most: number): number | null {
    const parse = (text: string): number | null => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= least && value <= most ? value : null;
    };
    return this.parsed(name, parse, `a whole number from ${least} to ${most}`);
  }

  /**
   * Returns the setting's value if `values` contains this value, or null. Records an error for any other
   * value.
   */
  oneOf<T extends string>(name: string, values: readonly T[]): T | null {
    return this.parsed(
      name,
      (text) => values.find((value) => value === text) ?? null,
      `one of ${values.join(', ')}`,
    );
  }

  /** Records an error that several settings cause together, such as a key without its address. */
  refuse(fault: string): void {
    this.#faults.push(fault);
  }

  /** Returns all errors: recorded ones, variables set by Kubernetes, and unknown TELLTALE_* variables. */
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
