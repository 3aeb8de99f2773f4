// Reading an image file's header, before memory for pixels is allocated.
#pragma once

#include "base/fields.h"
#include "base/status.h"
#include "image/image.h"

namespace telltale {

enum class ImageFormat { kJpeg, kPng, kWebp, kAvif, kGif, kBmp, kTiff };

// Returns the format's name, such as "jpeg". The string has static storage.
const char* ImageFormatName(ImageFormat format);

// Limits on the images that are decoded. Source: the interface specification.
inline constexpr int kMaxSidePx = 32768;
inline constexpr int64_t kMaxPixels = 100'000'000;

struct SniffedImage {
  ImageFormat format = ImageFormat::kJpeg;
  int width = 0;              // pixels, orientation applied
  int height = 0;             // pixels, orientation applied
  int orientation = 1;        // EXIF 1..8; for AVIF, the EXIF equivalent of irot and imir
  int frame_count = 1;        // frames of an animation or pages of a TIFF (at most 1000 are counted)
  int jpeg_quality = 0;       // 1..100; 0 if the format is not JPEG
  bool has_manifest = false;  // a C2PA manifest store is embedded
  int jpeg_components = 0;    // at least 1; 0 if the format is not JPEG; hidden from JavaScript
  TELLTALE_FIELDS(format, width, height, orientation, frame_count, jpeg_quality, has_manifest)
};

// Reads the header of an image file, and the headers of its chunks or boxes, but not their contents. Needs no
// memory that grows with the image. Thread-safe; never throws.
//
// The orientation comes from JPEG APP1, PNG eXIf, the WebP EXIF chunk, the TIFF tag, or AVIF's irot and imir.
// EXIF in AVIF does not affect pixels. A C2PA manifest is found in JPEG APP11 (JUMBF), PNG caBX, the RIFF
// chunk C2PA, a BMFF uuid box, TIFF tag 0xCD41, or a GIF's application extension C2PA_GIF before the first
// frame. The manifest's content is not checked.
//
// Errors: kUnsupportedFormat (not one of the seven formats), kImageCorrupt (the header is incomplete or
// contradicts itself, or the file is cut off), kImageTooManyPixels, kInternalError (out of memory).
Result<SniffedImage> Sniff(Bytes bytes);

// Returns kImageTooManyPixels if an image of `width` x `height` px is too large. Requires non-negative sizes.
Status CheckPixelLimits(int64_t width, int64_t height);

// Returns true if `orientation` (EXIF 1..8) swaps width and height.
inline bool SwapsSides(int orientation) { return orientation >= 5; }

}  // namespace telltale
