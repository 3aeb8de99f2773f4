// Reads the options of a check and the caller's reference (`ref`) from the query, the form and JSON.
import type { Static } from '@sinclair/typebox';
import { DETAIL_NAMES, type DetailName, type ProfileName } from 'telltale-engine/internal/check/types.js';
import { invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { CheckQuery } from '../openapi/option-schemas.js';
import { requireValid, collectFields, differs } from '../body/small-input.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';

export interface CheckOptions {
  readonly store: boolean;
  /** Profile, or null for the service's default profile. */
  readonly profile: ProfileName | null;
  readonly include: readonly DetailName[];
  /** True if the services of image-generator companies are asked about the image. */
  readonly asksMakers: boolean;
  /** Fixed results that a request with a sandbox key selects: one for all images, one for each, or none. */
  readonly sandbox: readonly string[];
}

/**
 * Merges the options from query and body. `optionSources` has the options of each place. Its keys, such as
 * 'the query', name the place in error messages. Throws CheckError invalid_request for an unknown name or value, or different values of an option.
 */
export function readCheckOptions(optionSources: Readonly<Record<string, unknown>>): CheckOptions {
  const received = Object.entries(optionSources).map(([sourceName, value]) =>
    requireValid(CheckQuery, value, sourceName),
  );
  const store = agree('store', received.map(readStore));
  const profile = agree(
    'profile',
    received.map((options) => options.profile),
  );
  const include = agree('include', received.map(readInclude));
  const sandbox = agree(
    'sandbox',
    received.map(({ sandbox: names }) => (typeof names === 'string' ? names : names?.join(','))),
  );
  return {
    store: store ?? false,
    profile: profile ?? null,
    include: include === undefined ? [] : splitNames(include),
    asksMakers: received.some(({ provenance }) => provenance === 'ask'),
    sandbox: sandbox === undefined ? [] : sandbox.split(','),
  };
}

type ReceivedOptions = Static<typeof CheckQuery>;

function readStore({ store }: ReceivedOptions): boolean | undefined {
  return store === undefined ? undefined : store === true || store === 1 || store === 'true' || store === '1';
}

/** Puts the names in a fixed order, so that options from query and body can be compared. */
function readInclude({ include }: ReceivedOptions): string | undefined {
  if (include === undefined) return undefined;
  const names: readonly string[] = typeof include === 'string' ? splitNames(include) : include;
  return DETAIL_NAMES.filter((name) => names.includes(name)).join(',');
}

function splitNames(text: string): DetailName[] {
  return DETAIL_NAMES.filter((name) => text.split(',').includes(name));
}

function agree<T>(name: string, values: readonly (T | undefined)[]): T | undefined {
  const distinct = new Set(values.filter((value) => value !== undefined));
  if (distinct.size > 1) throw differs(name);
  return [...distinct][0];
}

/** Maximum number of characters of a caller's reference. */
const MAX_IMAGE_REF_CHARACTERS = 128;

/** Fields of a query or form, separated into references and others. */
export interface SplitFields {
  /** Values of every `ref` in order; an empty value stands for no reference. */
  readonly refs: readonly string[];
  /** Other fields by name. */
  readonly otherFields: Readonly<Record<string, unknown>>;
}

/** Separates `ref` from the fields of a query or form. Throws CheckError invalid_request for an invalid reference. */
export function splitRefs(fields: readonly (readonly [string, string])[]): SplitFields {
  const refs = fields.filter(([name]) => name === 'ref').map(([, value]) => value);
  for (const ref of refs) requirePrintable(ref);
  return { refs, otherFields: collectFields(fields.filter(([name]) => name !== 'ref')) };
}

/**
 * Returns the reference of each of `count` images, or null. `refSources` maps names such as 'the query', for
 * error messages, to references: none, or one per image. Throws CheckError invalid_request.
 */
export function chooseRefs(
  refSources: Readonly<Record<string, readonly (string | undefined)[]>>,
  count: number,
): readonly (string | null)[] {
  const mergedRefs = new Array<string | null>(count).fill(null);
  for (const [sourceName, refs] of Object.entries(refSources)) {
    if (refs.length !== 0 && refs.length !== count)
      throw invalidRequest(
        `${sourceName}: Expected a 'ref' for each image, in their order (${count}), but received ${refs.length}`,
        { param: 'ref' },
      );
    for (const [index, ref = ''] of refs.entries()) {
      if (ref === '') continue;
      requirePrintable(ref);
      if (mergedRefs[index] !== null && mergedRefs[index] !== ref)
        throw invalidRequest("'ref' is given more than once, with different values", { param: 'ref' });
      mergedRefs[index] = ref;
    }
  }
  return mergedRefs;
}

function requirePrintable(ref: string): void {
  if (ref.length <= MAX_IMAGE_REF_CHARACTERS && visibleText(ref) === ref) return;
  const received =
    ref.length > MAX_IMAGE_REF_CHARACTERS ? `${ref.length} characters` : 'one that can not be printed';
  throw invalidRequest(
    `Expected at most ${MAX_IMAGE_REF_CHARACTERS} printable characters for 'ref' but received ${received}`,
    { param: 'ref' },
  );
}
