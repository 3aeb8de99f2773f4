// What a file's header says, read before a pixel is allocated.
#pragma once

#include "base/fields.h"
#include "base/status.h"
#include "image/image.h"

namespace telltale {

enum class ImageFormat { kJpeg, kPng, kWebp, kAvif, kGif, kBmp, kTiff };

// "jpeg", "png", ... Static storage.
const char* ImageFormatName(ImageFormat format);

// Limits on images that are decoded; source: the interface specification.
inline constexpr int kMaxSidePx = 32768;
inline constexpr int64_t kMaxPixels = 100'000'000;

struct SniffedImage {
  ImageFormat format = ImageFormat::kJpeg;
  int width = 0;              // pixels, orientation applied
  int height = 0;             // pixels, orientation applied
  int orientation = 1;        // EXIF 1..8; of AVIF, the EXIF equivalent of its irot and imir
  int frame_count = 1;        // frames of an animation, pages of a TIFF (at most 1000 are counted)
  int jpeg_quality = 0;       // 1..100; 0 if the format is not JPEG
  bool has_manifest = false;  // a C2PA manifest store is embedded
  TELLTALE_FIELDS(format, width, height, orientation, frame_count, jpeg_quality, has_manifest)
};

// Reads the header of `bytes`; allocates nothing that grows with the image. Walks the headers of
// a file's parts and never scans their contents. Thread-safe; never throws.
//
// Orientation comes from JPEG APP1, PNG eXIf, the WebP EXIF chunk, the TIFF tag, or AVIF's irot and imir.
// AVIF's own EXIF says nothing about pixels. A manifest is found in JPEG APP11 (JUMBF), PNG caBX, the RIFF
// chunk C2PA, a BMFF uuid box or TIFF tag 0xCD41. In a GIF it is in the application extension C2PA_GIF before
// the first frame. Its content is not judged here.
//
// Errors: kUnsupportedFormat (none of the seven), kImageCorrupt (header ends early or contradicts
// itself, or the file's structure is cut off), kImageTooManyPixels.
Result<SniffedImage> Sniff(Bytes bytes);

// kImageTooManyPixels where an image of `width` x `height` px (either not negative) is refused.
Status CheckPixelLimits(int64_t width, int64_t height);

// Whether `orientation` (EXIF 1..8) turns the image on its side.
inline bool SwapsSides(int orientation) { return orientation >= 5; }

}  // namespace telltale
