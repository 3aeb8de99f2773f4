// A parsed AVIF file and the geometry that its properties require.
#pragma once

#include <avif/avif.h>

#include <memory>

#include "image/sniff.h"

namespace telltale {

struct AvifDecoderDeleter {
  void operator()(avifDecoder* decoder) const { avifDecoderDestroy(decoder); }
};

// An AVIF file with its boxes read and its pixels not yet decoded. Points into the bytes it was made from,
// which must outlive it.
struct AvifReader {
  std::unique_ptr<avifDecoder, AvifDecoderDeleter> decoder;
  avifCropRect crop{};  // pixels of the coded image kept by `clap`; the whole image without `clap`
  int orientation = 1;  // EXIF equivalent of irot, then imir; applied after the crop
};

// Parses with one thread and within kMaxPixels, kMaxSidePx, AvifCounts and Av1Work. `with_metadata` also
// keeps EXIF and XMP in the decoder's image. Ignores an invalid `clap`, as browsers do. Errors:
// kImageCorrupt, kUnsupportedFormat (tiles in an order that libavif would not keep), kInternalError.
Result<AvifReader> OpenAvif(Bytes bytes, bool with_metadata = false);

}  // namespace telltale
