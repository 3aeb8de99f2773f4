// Reading the chunk headers of a PNG file up to its last chunk (PNG third edition, which includes APNG).
#include <algorithm>
#include <limits>

#include "image/byte_reader.h"
#include "image/exif.h"
#include "image/headers.h"
#include "image/png_chunk.h"

namespace telltale {
namespace {

constexpr uint64_t kSignatureSize = 8;
constexpr uint64_t kChunkOverhead = 12;  // length, type, CRC

constexpr uint32_t Type(const char (&name)[5]) {
  return uint32_t{static_cast<uint8_t>(name[0])} << 24 | uint32_t{static_cast<uint8_t>(name[1])} << 16 |
         uint32_t{static_cast<uint8_t>(name[2])} << 8 | static_cast<uint8_t>(name[3]);
}

}  // namespace

Result<SniffedImage> ReadPngHeader(Bytes bytes) {
  SniffedImage sniffed;
  uint64_t at = kSignatureSize;
  if (!Holds(bytes, at, kChunkOverhead + 13)) return EndsEarly(ImageFormat::kPng);
  if (HasText(bytes, at + 4, "CgBI")) {
    return Status(StatusCode::kUnsupportedFormat, "png_cgbi");
  }
  if (ReadU32Be(bytes, at) != 13 || ReadU32Be(bytes, at + 4) != Type("IHDR")) {
    return Contradiction(ImageFormat::kPng, "no_ihdr");
  }
  const uint32_t width = ReadU32Be(bytes, at + 8);
  const uint32_t height = ReadU32Be(bytes, at + 12);
  constexpr uint32_t kMaxPngSide = std::numeric_limits<int32_t>::max();
  if (width > kMaxPngSide || height > kMaxPngSide) return Contradiction(ImageFormat::kPng, "negative_size");
  sniffed.width = static_cast<int>(width);
  sniffed.height = static_cast<int>(height);
  // The pixel limit is checked first, because reading the remaining chunks takes time.
  if (Status limits = CheckPixelLimits(width, height); !limits.ok()) return limits;

  bool has_pixels = false;
  while (true) {
    // From the first chunk of pixels on, the file may be cut off: the decoder detects missing pixels.
    const bool holds_type = Holds(bytes, at, 8);
    const uint32_t length = holds_type ? ReadU32Be(bytes, at) : 0;
    has_pixels |= holds_type && ReadU32Be(bytes, at + 4) == Type("IDAT");
    if (!holds_type || !Holds(bytes, at, kChunkOverhead + length)) {
      if (has_pixels) return sniffed;
      return EndsEarly(ImageFormat::kPng);
    }
    // Chunks of pixels mostly have the same length. Fetching the next headers in advance keeps the loop from
    // waiting for memory at each chunk of a large file.
    constexpr int kAhead = 8;
    const uint64_t ahead = at + kAhead * (kChunkOverhead + length);
    if (ahead < bytes.size()) __builtin_prefetch(bytes.data() + ahead);
    switch (ReadU32Be(bytes, at + 4)) {
      case Type("acTL"):
        if (length >= 4)
          sniffed.frame_count = std::clamp(static_cast<int32_t>(ReadU32Be(bytes, at + 8)), 1, 1000);
        break;
      case Type("eXIf"):
        if (!HasRightChecksum(bytes, at, length)) break;
        sniffed.orientation = ReadExifOrientation(bytes.subspan(at + 8, length));
        break;
      case Type("caBX"):
        sniffed.has_manifest = true;
        break;
      case Type("IEND"):
        return sniffed;
    }
    at += kChunkOverhead + length;
  }
}

}  // namespace telltale
