// Reading XMP, the metadata in XML, from a file: only properties about an image's origin.
import { SaxesParser, type SaxesAttributeNS } from 'saxes';

/** A text of a file's metadata, with the standard name of its field. */
export interface Declaration {
  /** Kind of metadata and field name, such as `png:parameters`, `exif:Software` or `xmp:photoshop:Credit`. */
  readonly where: string;
  /** Text as written, cut at 64 kB. */
  readonly text: string;
}

/** Maximum nesting of elements. Reading stops at a deeper element. */
const MAX_DEPTH = 64;
/** Maximum number of elements and attributes in an image's XMP. */
const MAX_TAGS = 5_000;
/**
 * Maximum characters in an image's XMP. Even in the worst case, this many characters are read in
 * milliseconds.
 */
const MAX_CHARACTERS = 100_000;
/** Maximum characters of one value. */
const MAX_VALUE_CHARACTERS = 65_536;

/** Name of a Photoshop list to skip: it may have megabytes and says nothing about the image's origin. */
const ANCESTORS = 'photoshop:DocumentAncestors>';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Standard prefix of each namespace. A file may use other prefixes. */
const PREFIXES = new Map([
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/terms/', 'dcterms'],
  ['http://ns.adobe.com/xap/1.0/', 'xmp'],
  ['http://ns.adobe.com/xap/1.0/sType/ResourceEvent#', 'stEvt'],
  ['http://ns.adobe.com/photoshop/1.0/', 'photoshop'],
  ['http://ns.adobe.com/exif/1.0/', 'exif'],
  ['http://iptc.org/std/Iptc4xmpExt/2008-02-29/', 'Iptc4xmpExt'],
  ['http://www.tc260.org.cn/ns/AIGC/1.0/', 'TC260'],
]);

/** Thrown to stop reading at a limit. The values read so far count. */
class LimitReached extends Error {}

/** Numbers of elements and characters that may still be read, for all XMP packets of an image together. */
interface XmpBudget {
  tags: number;
  characters: number;
}

/** Returns the full limits for a new image. */
export function newXmpBudget(): XmpBudget {
  return { tags: MAX_TAGS, characters: MAX_CHARACTERS };
}

/**
 * Returns the values of an XMP packet in order; `where` is `xmp:prefix:name`. Reads a malformed packet up to
 * its error.
 */
export function readXmp(packet: string, budget: XmpBudget = newXmpBudget()): readonly Declaration[] {
  const found: Declaration[] = [];
  /** Stack of open elements: the property that each one's text belongs to, or null, and the text so far. */
  const open: { readonly property: string | null; text: string }[] = [];
  // Counted one by one, because a single element may have very many attributes.
  const count = (): void => {
    budget.tags -= 1;
    if (budget.tags < 0) throw new LimitReached();
  };
  const add = (property: string | null, value: string): void => {
    if (property !== null && value.trim() !== '')
      found.push({ where: `xmp:${property}`, text: value.trim().slice(0, MAX_VALUE_CHARACTERS) });
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentagstart', count);
  parser.on('attribute', count);
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (open.length >= MAX_DEPTH) throw new LimitReached();
    // A list and its items belong to the property that contains them.
    const property = uri === RDF ? (open.at(-1)?.property ?? null) : nameOf({ uri, local });
    open.push({ property, text: '' });
    for (const attribute of Object.values(attributes)) {
      const isResource = attribute.uri === RDF && attribute.local === 'resource';
      add(isResource ? property : nameOf(attribute), attribute.value);
    }
  });
  const append = (text: string): void => {
    const element = open.at(-1);
    if (element && element.text.length < MAX_VALUE_CHARACTERS) element.text += text;
  };
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element) add(element.property, element.text);
  });
  const text = withoutAncestors(packet).slice(0, budget.characters);
  budget.characters -= text.length;
  try {
    parser.write(text).close();
  } catch {
    // Errors in XMP are ignored, because they are no reason to refuse an image.
  }
  return found;
}

function withoutAncestors(packet: string): string {
  const from = packet.indexOf(`<${ANCESTORS}`);
  const end = from < 0 ? -1 : packet.indexOf(`</${ANCESTORS}`, from);
  return end < 0 ? packet : packet.slice(0, from) + packet.slice(end + ANCESTORS.length + 2);
}

function nameOf({ uri, local }: Pick<SaxesAttributeNS, 'uri' | 'local'>): string | null {
  const prefix = PREFIXES.get(uri);
  return prefix === undefined ? null : `${prefix}:${local}`;
}
