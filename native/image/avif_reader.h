// An opened AVIF file, with the crop and the orientation that it asks for.
#pragma once

#include <avif/avif.h>

#include <memory>

#include "image/sniff.h"

namespace telltale {

struct AvifDecoderDeleter {
  void operator()(avifDecoder* decoder) const { avifDecoderDestroy(decoder); }
};

// An AVIF file whose structure is read and whose pixels are not decoded yet. Points into the bytes of the
// file, which must outlive it.
struct AvifReader {
  std::unique_ptr<avifDecoder, AvifDecoderDeleter> decoder;
  avifCropRect crop{};  // pixels of the coded image kept by `clap`; the whole image without `clap`
  int orientation = 1;  // EXIF equivalent of irot, then imir; applied after the crop
};

// Reads the structure of an AVIF file on one thread. Enforces kMaxPixels, kMaxSidePx, AvifCounts and Av1Work.
// Ignores an invalid `clap`, as browsers do. `with_metadata` also copies EXIF and XMP. Errors: kImageCorrupt,
// kInternalError, and kUnsupportedFormat if libavif would put tiles into wrong places.
Result<AvifReader> OpenAvif(Bytes bytes, bool with_metadata = false);

}  // namespace telltale
