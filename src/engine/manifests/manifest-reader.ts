// One manifest being read: members by their dotted names, and every fault of them at once.
import { StartError } from '../../base/errors.js';
import { complaint, isInteger, isNumber, isRecord, isText } from './validation.js';
import type { ModelId } from '../types.js';

/** Takes members out of a manifest and collects their faults. */
export class ManifestReader {
  readonly #faults: string[] = [];

  constructor(
    readonly id: ModelId | 'adaptation',
    private readonly content: unknown,
  ) {}

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
    return Object.keys(value);
  }

  /** Whether there is a member `name`. */
  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** Notes that the member `name` is not as `expected`. */
  fault(expected: string, name: string): void {
    this.#faults.push(complaint(expected, name, this.#find(name)));
  }

  /** Throws StartError `model_invalid` if there was a fault. */
  finish(): void {
    if (this.#faults.length === 0) return;
    throw new StartError(
      'model_invalid',
      `The manifest of ${this.id} is not sound:\n  ${this.#faults.join('\n  ')}`,
    );
  }

  #find(name: string): unknown {
    let value = this.content;
    for (const part of name.split('.')) {
      const holder: unknown = value;
      value = isRecord(holder) ? holder[part] : Array.isArray(holder) ? holder[Number(part)] : undefined;
    }
    return value;
  }
}
