// XMP packets into declarations: the values of properties in the namespaces that say how an image came about.
import { SaxesParser, type SaxesAttributeNS } from 'saxes';

/** A text of the file's metadata under the name of its standard. */
export interface Declaration {
  /** Block and name, such as `png:parameters`, `exif:Software`, `iptc:Credit` or `xmp:photoshop:Credit`. */
  readonly where: string;
  /** As written, cut at 64 kB. */
  readonly text: string;
}

/** Elements nested deeper than this end the reading of a packet. */
const MAX_DEPTH = 64;
/** Elements and attributes of all packets of an image; more are not read. */
const MAX_TAGS = 5_000;
/** Characters of all packets of an image; more are not read. Chosen: some milliseconds, however they are written. */
const MAX_CHARACTERS = 100_000;
/** Characters kept of one value. */
const MAX_VALUE_CHARACTERS = 65_536;

/** A list of Photoshop's that grows to megabytes, stands before the history, and says nothing of how an image came about. */
const ANCESTORS = 'photoshop:DocumentAncestors>';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Prefixes by namespace, as the standards write them: a file may use others. */
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

/** Ends a reading that met its bounds; what was read until then counts. */
class BoundMet extends Error {}

/** What may still be read of an image's packets: one for all of them. */
interface XmpRoom {
  tags: number;
  characters: number;
}

/** The room of an image. */
export function newXmpRoom(): XmpRoom {
  return { tags: MAX_TAGS, characters: MAX_CHARACTERS };
}

/** Values of a packet in the order written, `where` as `xmp:prefix:name`. Malformed from some place on: what stood before. */
export function readXmp(packet: string, room: XmpRoom = newXmpRoom()): readonly Declaration[] {
  const found: Declaration[] = [];
  /** Open elements: the property whose value they hold, or null, and the text so far. */
  const open: { readonly property: string | null; text: string }[] = [];
  // Each as it comes: an element is told with all its attributes, which may be as many as the packet holds.
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
    // A list and its items hold the value of the property around them.
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
    // A malformed packet, or one beyond the bounds, is no fault of the image.
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
