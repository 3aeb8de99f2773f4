// What a file's header says, read before a pixel is allocated.
#pragma once

#include "base/status.h"
#include "image/image.h"

namespace telltale {

enum class ImageFormat { kJpeg, kPng, kWebp, kAvif, kGif, kBmp, kTiff };

// "jpeg", "png", ... Static storage.
const char* ImageFormatName(ImageFormat format);

// Limits on what is decoded; source: the interface specification.
inline constexpr int kMaxSidePx = 32768;
inline constexpr int64_t kMaxPixels = 100'000'000;

struct SniffedImage {
  ImageFormat format = ImageFormat::kJpeg;
  int width = 0;        // pixels, orientation applied
  int height = 0;       // pixels, orientation applied
  int orientation = 1;  // EXIF 1..8
  int frame_count = 1;
  int jpeg_quality = 0;       // 1..100; 0 where the format is not JPEG
  bool has_manifest = false;  // a C2PA manifest store is embedded
};

// Reads the header of `bytes`; allocates nothing that grows with the picture. Thread-safe.
// Errors: kUnsupportedFormat (none of the seven), kImageCorrupt (header ends early or contradicts
// itself), kImageTooManyPixels.
Result<SniffedImage> Sniff(Bytes bytes);

}  // namespace telltale
