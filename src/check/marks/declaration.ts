// One thing that a file declares of itself, wherever in the file it stands.

/** A text of the file's metadata under the name of its standard. */
export interface Declaration {
  /** Block and name, such as `png:parameters`, `exif:Software`, `iptc:Credit` or `xmp:photoshop:Credit`. */
  readonly where: string;
  /** As written, cut at 64 kB. */
  readonly text: string;
}
