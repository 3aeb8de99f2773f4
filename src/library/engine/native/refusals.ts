// The sentences for refusals of the native engine, which reports each refusal as a name and values
// (native/base/status.h).

const SEND = 'Send each image as JPEG or PNG.';
const CONVERT = 'Convert the image to JPEG or PNG at full size.';
const FRAME = 'Send a frame as JPEG or PNG.';
const SAVE_BMP = 'Save the image as PNG or JPEG.';
const SAVE_TIFF = 'Save the image with 8 or 16 bits per sample, without floats.';
const SAVE_JPEG = 'Save the image as baseline or progressive JPEG with 8 bits per sample.';

const unsupported = (files: string, advice: string) => () => `${files} are not supported. ${advice}`;
const corrupt = (fault: string) => (format: string) =>
  `The ${format.toUpperCase()} file is corrupt: ${fault}. Send an intact copy.`;

/** Sentence for each name. The functions take the values of the refusal. */
const SENTENCES: Record<string, (...values: string[]) => string> = {
  empty: () => 'The file is empty. Send the bytes of an image.',
  unknown_format: () => 'The file format is not supported. Send JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF.',
  heic: unsupported('HEIC files', CONVERT),
  jpeg_xl: unsupported('JPEG XL files', CONVERT),
  jpeg_2000: unsupported('JPEG 2000 files', CONVERT),
  psd: unsupported('Photoshop documents (PSD)', CONVERT),
  xcf: unsupported('GIMP documents (XCF)', CONVERT),
  openexr: unsupported('OpenEXR files', CONVERT),
  radiance_hdr: unsupported('Radiance HDR files', CONVERT),
  ico: unsupported('Icons (ICO)', CONVERT),
  camera_raw: unsupported('Camera raw files', "Develop the image to JPEG, or send the camera's own JPEG."),
  pdf: unsupported('PDF files', SEND),
  zip: unsupported('ZIP archives and office documents', SEND),
  gzip: unsupported('Gzip archives', SEND),
  web_page: unsupported('Web pages', SEND),
  postscript: unsupported('PostScript files', 'Export the image as PNG.'),
  svg: unsupported('SVG files', 'Export the image as PNG.'),
  matroska: unsupported('Videos (WebM, Matroska)', FRAME),
  avi: unsupported('Videos (AVI)', FRAME),
  quicktime: unsupported('Videos (QuickTime)', FRAME),
  mp4: unsupported('Videos (MP4, QuickTime)', FRAME),
  jpeg_ls: unsupported('JPEG-LS files', SAVE_JPEG),
  jpeg_lossless: unsupported('Lossless JPEG files', SAVE_JPEG),
  jpeg_hierarchical: unsupported('Hierarchical JPEG files', SAVE_JPEG),
  jpeg_12_bit: unsupported('JPEG files with 12 bits per sample', SAVE_JPEG),
  png_cgbi: unsupported("Apple's PNG files for iOS apps (CgBI)", 'Save the image as an ordinary PNG.'),
  avif_tile_order: unsupported(
    'AVIF files with tiles in this order',
    'Save the image again, or as JPEG or PNG.',
  ),
  bmp_huffman: unsupported('BMP files with Huffman coding', SAVE_BMP),
  bmp_rle_24: unsupported('BMP files with 24-bit run lengths', SAVE_BMP),
  bmp_jpeg: unsupported('BMP files that contain a JPEG', SAVE_BMP),
  bmp_png: unsupported('BMP files that contain a PNG', SAVE_BMP),
  bmp_cmyk: unsupported('BMP files in CMYK', SAVE_BMP),
  bmp_64_bit: unsupported('BMP files with 64 bits per pixel', SAVE_BMP),
  tiff_float: (bits) => `TIFF files with ${bits}-bit float samples are not supported. ${SAVE_TIFF}`,
  tiff_signed: (bits) => `TIFF files with ${bits}-bit signed samples are not supported. ${SAVE_TIFF}`,
  tiff_complex: unsupported('TIFF files with complex samples', SAVE_TIFF),
  tiff_bits: (bits) => `TIFF files with ${bits} bits per sample are not supported. ${SAVE_TIFF}`,
  tiff_cmyk: (bits) =>
    `TIFF files in CMYK with ${bits} bits per sample are not supported. Save the image as RGB, or with 8 bits per sample.`,
  tiff_compression: (method) =>
    `TIFF files compressed by ${method} are not supported. Save the image with LZW or Deflate compression.`,
  too_many_pixels: (width, height) =>
    `The image has ${width} x ${height} px. At most 100 megapixels and 32768 px per side are allowed. Send a smaller version.`,
  too_much_memory: (format = '') =>
    `The ${format.toUpperCase()} file needs too much memory to decode. Save it as baseline JPEG or send a smaller version.`,
  ends_early: (format = '') =>
    `The ${format.toUpperCase()} file is incomplete: it ends early. Send the complete file.`,
  undecodable: (format = '') =>
    `The ${format.toUpperCase()} file can't be decoded: it is incomplete or corrupt. Send an intact copy.`,
  no_pixels: corrupt('its size is 0'),
  no_size: corrupt('its header lacks the size'),
  negative_size: corrupt('its size is negative'),
  no_frame: corrupt('it has no frame'),
  no_frame_header: corrupt('it has no frame header before the first scan'),
  no_quantisation_table: corrupt('it has no quantisation table before the first scan'),
  second_image: corrupt('a second image starts inside the header'),
  segment_without_length: corrupt('a segment has no length'),
  unreadable_segment: corrupt('a header segment is invalid'),
  no_ihdr: corrupt('it does not start with IHDR'),
  unknown_depth: corrupt('its pixel depth or compression is unknown'),
  unknown_block: corrupt('it has a block of unknown type'),
  missing_bytes: corrupt('its directory lists more bytes than the file has'),
  too_many_boxes: corrupt('its boxes list more items than an image has'),
  too_many_streams: corrupt('it has more image data than one image needs'),
  unreadable_boxes: corrupt('its boxes are invalid'),
  queue_full: () => "The engine's queue is full. Try again later.",
  closing: () => 'The engine is closing and accepts no more work.',
  cancelled: () => 'The check was cancelled.',
  deadline_passed: () => 'The check did not finish within its deadline.',
};

/** Names of all refusals. */
export const REFUSAL_NAMES: readonly string[] = Object.keys(SENTENCES);

/**
 * Returns the sentence for a refusal. If the table lacks `name`, returns `name` itself, such as the message
 * of an internal error.
 */
export function describeRefusal(name: string, values: readonly string[] = []): string {
  const describe = Object.hasOwn(SENTENCES, name) ? SENTENCES[name] : undefined;
  return describe?.(...values) ?? name;
}
