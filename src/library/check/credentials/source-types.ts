// Where a manifest says what kind of source an image has: its actions, their templates, and metadata assertions.
import { assertionKind, type Assertion, type Manifest } from './manifest-store.js';

/** One statement about the kind of source. */
export interface SourceStatement {
  /** The digital source type as written. */
  readonly type: string;
  /** The action it belongs to, `c2pa.created` and so on; null for a statement about the image as a whole. */
  readonly action: string | null;
  /** Software that the action names; null if it names none. */
  readonly tool: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Assertions that list actions, in the labels of C2PA 1.x and 2.x. */
const ACTION_KINDS = new Set(['c2pa.actions', 'c2pa.actions.v2']);

/** Names under which an assertion about the whole image gives its source type (plain, and IPTC's in JSON-LD). */
const WHOLE_IMAGE_NAMES = ['digitalSourceType', 'Iptc4xmpExt:DigitalSourceType', 'iptcExt:DigitalSourceType'];

/** The action by which an image begins that was not there before. */
const CREATED = 'c2pa.created';

/** The software that created the image by a manifest's word, if the action gives no source type. */
export function readCreators(manifest: Manifest): readonly string[] {
  const lists = (manifest.assertions ?? []).filter(({ label }) => ACTION_KINDS.has(assertionKind(label)));
  return lists.flatMap(({ data }) => {
    const { actions, softwareAgents } = fieldsOf(data);
    return listOf(actions)
      .map(fieldsOf)
      .filter(({ action, digitalSourceType }) => action === CREATED && textOf(digitalSourceType) === null)
      .map((action) => nameAgent(action, listOf(softwareAgents)))
      .filter((name) => name !== null);
  });
}

/**
 * All statements of one manifest, in the order written.
 * Source: C2PA specification 2.2, sections 'Actions' (fields, templates, softwareAgents) and 'Metadata'.
 */
export function readSourceStatements(manifest: Manifest): readonly SourceStatement[] {
  return (manifest.assertions ?? []).flatMap((assertion) =>
    ACTION_KINDS.has(assertionKind(assertion.label)) ? readActions(assertion) : readWholeImage(assertion),
  );
}

function readActions({ data }: Assertion): readonly SourceStatement[] {
  const { actions, templates, softwareAgents } = fieldsOf(data);
  const agents = listOf(softwareAgents);
  return listOf(actions).flatMap((entry) => {
    const action = fieldsOf(entry);
    // A template gives the fields that an action of the same name leaves out; '*' stands for every name.
    const template = listOf(templates)
      .map(fieldsOf)
      .find((candidate) => candidate['action'] === action['action'] || candidate['action'] === '*');
    const type = textOf(action['digitalSourceType']) ?? textOf(template?.['digitalSourceType']);
    if (type === null) return [];
    const tool = nameAgent(action, agents) ?? nameAgent(template ?? {}, agents);
    return [{ type, action: textOf(action['action']) ?? '', tool }];
  });
}

function readWholeImage({ data }: Assertion): readonly SourceStatement[] {
  const fields = fieldsOf(data);
  return WHOLE_IMAGE_NAMES.map((name) => textOf(fields[name]))
    .filter((type) => type !== null)
    .map((type) => ({ type, action: null, tool: null }));
}

/** C2PA 1.x writes the agent as text, 2.x as an object or as an index into the assertion's `softwareAgents`. */
function nameAgent(action: Fields, agents: readonly unknown[]): string | null {
  const index = action['softwareAgentIndex'];
  const agent = action['softwareAgent'] ?? (typeof index === 'number' ? agents[index] : undefined);
  return textOf(agent) ?? textOf(fieldsOf(agent)['name']);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
