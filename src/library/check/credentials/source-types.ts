// Reading where an image comes from, such as a camera or AI, in the parts of a manifest that state it:
// actions, their templates, metadata and ingredients.
import { assertionKind, type Assertion, type Manifest } from './find-credentials.js';

/** A statement about an image's kind of origin. */
export interface SourceStatement {
  /** Digital source type as written, or null if the statement only names an AI system. */
  readonly type: string | null;
  /** Action that the statement describes, such as `c2pa.created`; null if it describes the whole image. */
  readonly action: string | null;
  /** Software that the action names, or null. */
  readonly tool: string | null;
  /** False for metadata that the signer only gathered: reported, but never decisive (docs/evidence.md). */
  readonly counts: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** Labels of assertions with actions in C2PA 1.x and 2.x. */
const ACTION_KINDS = new Set(['c2pa.actions', 'c2pa.actions.v2']);

/** Field names in lower case, without namespace prefixes, which writers choose. Source: IPTC 2025.1. */
const SOURCE_TYPE = 'digitalsourcetype';
const AI_SYSTEM = 'aisystemused';

/** Action that creates a new image. */
const CREATED = 'c2pa.created';

/** Returns the software that an action names as the image's creator without a source type. */
export function readCreators(manifest: Manifest): readonly string[] {
  const lists = (manifest.assertions ?? []).filter(({ label }) => ACTION_KINDS.has(assertionKind(label)));
  return lists.flatMap(({ data }) => {
    const { actions, softwareAgents } = fieldsOf(data);
    return listOf(actions)
      .map(fieldsOf)
      .filter((fields) => fields['action'] === CREATED && typeOfAction(fields) === null)
      .map((action) => nameAgent(action, listOf(softwareAgents)))
      .filter((name) => name !== null);
  });
}

/**
 * Returns the statements of all assertions in a manifest, in order. Source: C2PA specification 2.4, sections
 * 'Actions' (fields, templates, softwareAgents) and 'Metadata'.
 */
export function readSourceStatements(manifest: Manifest): readonly SourceStatement[] {
  return (manifest.assertions ?? []).flatMap((assertion) =>
    ACTION_KINDS.has(assertionKind(assertion.label))
      ? readActions(assertion)
      : readWholeImage(assertion, isCreated(manifest, assertion)),
  );
}

/**
 * Returns true if the signer vouches for an assertion. In version 2 of claims, signers vouch only for
 * assertions that are marked as created.
 */
function isCreated({ claim_version = 1 }: Manifest, { created = false }: Assertion): boolean {
  return created || claim_version < 2;
}

function readActions({ data }: Assertion): readonly SourceStatement[] {
  const { actions, templates, softwareAgents } = fieldsOf(data);
  const agents = listOf(softwareAgents);
  return listOf(actions).flatMap((entry) => {
    const action = fieldsOf(entry);
    // A template provides the fields that an action of the same name omits; '*' applies to every action.
    const template = fieldsOf(
      listOf(templates)
        .map(fieldsOf)
        .find((candidate) => candidate['action'] === action['action'] || candidate['action'] === '*'),
    );
    const type = typeOfAction(action) ?? typeOfAction(template);
    if (type === null) return [];
    const tool = nameAgent(action, agents) ?? nameAgent(template, agents);
    return [{ type, action: textOf(action['action']) ?? '', tool, counts: true }];
  });
}

/** Returns an action's source type. Adobe writes it as a parameter for other companies' models. */
function typeOfAction(action: Fields): string | null {
  const [type = null] = [action, fieldsOf(action['parameters'])]
    .flatMap((fields) => [fields['digitalSourceType'], fields['com.adobe.digitalSourceType']])
    .flatMap(textsOf);
  return type;
}

function readWholeImage({ data }: Assertion, counts: boolean): readonly SourceStatement[] {
  const fields = fieldsOf(data);
  const graph = [fields, ...listOf(fields['@graph']).map(fieldsOf)].flatMap(Object.entries);
  const valuesOf = (fieldName: string): readonly string[] =>
    graph.filter(([name]) => localName(name) === fieldName).flatMap(([, value]) => textsOf(value));
  const types = valuesOf(SOURCE_TYPE);
  const [tool = null] = valuesOf(AI_SYSTEM);
  if (types.length === 0 && tool !== null) return [{ type: null, action: null, tool, counts }];
  return types.map((type) => ({ type, action: null, tool, counts }));
}

/** Returns the name without its namespace: the part after the last colon, slash or hash. */
function localName(name: string): string {
  return /[^:/#]*$/.exec(name)?.[0].toLowerCase() ?? '';
}

/** Returns an action's software: a text in C2PA 1.x, an object or an index into `softwareAgents` in 2.x. */
function nameAgent(action: Fields, agents: readonly unknown[]): string | null {
  const index = action['softwareAgentIndex'];
  const agent = action['softwareAgent'] ?? (typeof index === 'number' ? agents[index] : undefined);
  return textOf(agent) ?? textOf(fieldsOf(agent)['name']);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Returns the texts of a JSON-LD value: plain, `{"@id": ...}`, `{"@value": ...}`, or a list of these. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((entry) => !Array.isArray(entry)).flatMap(textsOf);
  const fields = fieldsOf(value);
  const text = textOf(value) ?? textOf(fields['@id']) ?? textOf(fields['@value']);
  return text === null ? [] : [text];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
