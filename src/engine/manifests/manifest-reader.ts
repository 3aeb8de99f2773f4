// One manifest being read: fields by their dotted names, and every error in them at once.
import { StartError } from '../../base/errors.js';
import { describeUnknown } from '../../base/unknown-field.js';
import { describeInvalid, isInteger, isNumber, isRecord, isText } from '../../base/validation.js';
import type { ModelId } from '../types.js';

/** Takes fields out of a manifest and collects their errors. */
export class ManifestReader {
  readonly #content: unknown;
  readonly #errors: string[] = [];
  /** Names of the fields that were asked for. */
  readonly #asked = new Set<string>();
  /** Those whose own fields are asked for one by one. */
  readonly #opened = new Set<string>();

  constructor(
    readonly id: ModelId,
    content: unknown,
  ) {
    this.#content = content;
  }

  /** Allows the fields `names`, whatever they hold: they are notes for people. */
  allowNotes(...names: readonly string[]): void {
    for (const name of names) this.#asked.add(name);
  }

  /**
   * The field `name`, which `isValid` accepts; an error otherwise, and then `instead`, or the invalid value typed
   * as T.
   */
  expect<T>(name: string, expected: string, isValid: (value: unknown) => value is T, instead?: T): T {
    const value = this.#find(name);
    if (isValid(value)) return value;
    this.addError(expected, name);
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

  /** The index of the field's value in `names`. */
  indexIn(name: string, names: readonly string[]): number {
    const found = this.expect(name, `one of ${names.join(', ')}`, (value): value is string =>
      names.includes(value as string),
    );
    return names.indexOf(found);
  }

  /** The names of the fields of the field `name`, an object or array: one at least. */
  fields(name: string): readonly string[] {
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

  /** Whether there is a field `name`. */
  has(name: string): boolean {
    this.#opened.add(name);
    return this.#find(name) !== undefined;
  }

  /** Reports that the field `name` is not as `expected`. */
  addError(expected: string, name: string): void {
    this.#errors.push(describeInvalid(expected, name, this.#find(name)));
  }

  /** As `finish`, once everything was read: a field that nobody asked for is an error, too. */
  finishWhole(): void {
    this.#errors.push(...this.#findUnknown(this.#content, ''));
    this.finish();
  }

  /** Throws StartError `model_invalid` if there was an error. */
  finish(): void {
    if (this.#errors.length === 0) return;
    throw new StartError(
      'model_invalid',
      `The manifest of ${this.id} is invalid:\n  ${this.#errors.join('\n  ')}`,
    );
  }

  /** Messages about the fields of `holder`, whose names begin with `at`, that nobody asked for, and about those within. */
  #findUnknown(holder: unknown, at: string): string[] {
    if (!isRecord(holder) && !Array.isArray(holder)) return [];
    return Object.entries(holder).flatMap(([field, value]) => {
      const name = `${at}${field}`;
      if (this.#asked.has(name) && !this.#opened.has(name)) return [];
      const known = this.#fieldsAskedFor(at);
      if (known.includes(field)) return this.#findUnknown(value, `${name}.`);
      return [describeUnknown(name, known)];
    });
  }

  #fieldsAskedFor(at: string): readonly string[] {
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
