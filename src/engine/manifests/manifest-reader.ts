// One manifest being read: members by their dotted names, and every fault of them at once.
import { StartError } from '../../base/errors.js';
import { complainOfMember } from '../../base/unknown-member.js';
import { complaint, isInteger, isNumber, isRecord, isText } from '../../base/validation.js';
import type { ModelId } from '../types.js';

/** Takes members out of a manifest and collects their faults. */
export class ManifestReader {
  readonly #content: unknown;
  readonly #faults: string[] = [];
  /** Names of the members that were asked for. */
  readonly #asked = new Set<string>();
  /** Those whose own members are asked for one by one. */
  readonly #opened = new Set<string>();

  constructor(
    readonly id: ModelId,
    content: unknown,
  ) {
    this.#content = content;
  }

  /** Says that the members `names` may be there: they are for people, and whatever stands in them is theirs. */
  allowNotes(...names: readonly string[]): void {
    for (const name of names) this.#asked.add(name);
  }

  /**
   * The member `name`, which `isValid` accepts; a fault otherwise, and then `instead`, or the value that is there in
   * the guise of T.
   */
  expect<T>(name: string, expected: string, isValid: (value: unknown) => value is T, instead?: T): T {
    const value = this.#find(name);
    if (isValid(value)) return value;
    this.fault(expected, name);
    return instead ?? (value as T);
  }

  text(name: string): string {
    return this.expect(name, 'a text', isText);
  }

  integer(name: string, least: number, most: number): number {
    return this.expect(name, `a whole number from ${least} to ${most}`, (value) =>
      isInteger(value, least, most),
    );
  }

  number(name: string, least?: number, most?: number): number {
    const range = least === undefined ? 'a number' : `a number from ${least} to ${most}`;
    return this.expect(name, range, (value): value is number => isNumber(value, least, most));
  }

  constant<T extends string | number>(name: string, only: T): T {
    return this.expect(
      name,
      typeof only === 'string' ? `'${only}'` : String(only),
      (value): value is T => value === only,
    );
  }

  /** The place of the member among `names`. */
  indexIn(name: string, names: readonly string[]): number {
    const found = this.expect(name, `one of ${names.join(', ')}`, (value): value is string =>
      names.includes(value as string),
    );
    return names.indexOf(found);
  }

  /** The names of the members that the member `name`, an object or array, has: one at least. */
  members(name: string): readonly string[] {
    const value = this.expect(
      name,
      'an object or array that is not empty',
      (found): found is object =>
        typeof found === 'object' && found !== null && Object.keys(found).length > 0,
      {},
    );
    this.#opened.add(name);
    return Object.keys(value);
  }

  /** Whether there is a member `name`. */
  has(name: string): boolean {
    this.#opened.add(name);
    return this.#find(name) !== undefined;
  }

  /** Notes that the member `name` is not as `expected`. */
  fault(expected: string, name: string): void {
    this.#faults.push(complaint(expected, name, this.#find(name)));
  }

  /** As `finish`, and a member that nobody asked for is a fault too: once all that is to be read was read. */
  finishWhole(): void {
    this.#faults.push(...this.#findUnknown(this.#content, ''));
    this.finish();
  }

  /** Throws StartError `model_invalid` if there was a fault. */
  finish(): void {
    if (this.#faults.length === 0) return;
    throw new StartError(
      'model_invalid',
      `The manifest of ${this.id} is not sound:\n  ${this.#faults.join('\n  ')}`,
    );
  }

  /** Complaints about the members of `holder`, whose names begin with `at`, that nobody asked for, and of those within. */
  #findUnknown(holder: unknown, at: string): string[] {
    if (!isRecord(holder) && !Array.isArray(holder)) return [];
    return Object.entries(holder).flatMap(([member, value]) => {
      const name = `${at}${member}`;
      if (this.#asked.has(name) && !this.#opened.has(name)) return [];
      const known = this.#membersAskedFor(at);
      if (known.includes(member)) return this.#findUnknown(value, `${name}.`);
      return [complainOfMember(name, known)];
    });
  }

  #membersAskedFor(at: string): readonly string[] {
    const inside = [...this.#asked].filter((name) => name.startsWith(at));
    return [...new Set(inside.map((name) => name.slice(at.length).split('.')[0] ?? ''))];
  }

  #find(name: string): unknown {
    this.#asked.add(name);
    let value = this.#content;
    for (const part of name.split('.')) {
      const holder: unknown = value;
      value = isRecord(holder) ? holder[part] : Array.isArray(holder) ? holder[Number(part)] : undefined;
    }
    return value;
  }
}
