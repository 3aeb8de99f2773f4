// Reading XMP packets into declarations: properties in namespaces about an image's origin.
import { SaxesParser, type SaxesAttributeNS } from 'saxes';

/** A text of the file's metadata with its standard name. */
export interface Declaration {
  /** Block and name, such as `png:parameters`, `exif:Software`, `iptc:Credit` or `xmp:photoshop:Credit`. */
  readonly where: string;
  /** Text as written, cut at 64 kB. */
  readonly text: string;
}

/** Maximum depth of elements; a deeper packet is read no further. */
const MAX_DEPTH = 64;
/** Maximum number of elements and attributes in all packets of an image. */
const MAX_TAGS = 5_000;
/**
 * Maximum number of characters in all packets of an image. Chosen: takes some milliseconds, however they are written.
 */
const MAX_CHARACTERS = 100_000;
/** Maximum characters kept of a value. */
const MAX_VALUE_CHARACTERS = 65_536;

/** A Photoshop list that grows to megabytes, precedes the history, and says nothing about the image's origin. */
const ANCESTORS = 'photoshop:DocumentAncestors>';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Standard prefixes by namespace; a file may use others. */
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

/** Ends reading at a limit; the values so far count. */
class BoundMet extends Error {}

/** Remaining budget for all packets of an image. */
interface XmpRoom {
  tags: number;
  characters: number;
}

/** Returns the budget of an image. */
export function newXmpRoom(): XmpRoom {
  return { tags: MAX_TAGS, characters: MAX_CHARACTERS };
}

/**
 * Returns the values of a packet in the order written, with `where` as `xmp:prefix:name`; for a malformed packet, the
 * values before the error.
 */
export function readXmp(packet: string, room: XmpRoom = newXmpRoom()): readonly Declaration[] {
  const found: Declaration[] = [];
  /** Open elements: the property whose value they hold, or null, and the text so far. */
  const open: { readonly property: string | null; text: string }[] = [];
  // Counted one by one, because an element may have as many attributes as fit into a packet.
  const count = (): void => {
    room.tags -= 1;
    if (room.tags < 0) throw new BoundMet();
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
    if (open.length >= MAX_DEPTH) throw new BoundMet();
    // A list and its items belong to the property around them.
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
  const text = withoutAncestors(packet).slice(0, room.characters);
  room.characters -= text.length;
  try {
    parser.write(text).close();
  } catch {
    // A malformed or oversized packet is not an error of the image.
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
