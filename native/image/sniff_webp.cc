// Reading the chunks of a WebP file (RFC 9649).
#include <algorithm>

#include "image/byte_reader.h"
#include "image/exif.h"
#include "image/headers.h"

namespace telltale {
namespace {

constexpr uint64_t kRiffHeader = 12;
constexpr uint64_t kChunkHeader = 8;

// Reads the image's size from `chunk`. Returns false if this kind of chunk does not state the size.
bool ReadSize(Bytes bytes, uint64_t chunk, uint32_t length, SniffedImage* sniffed) {
  const uint64_t body = chunk + kChunkHeader;
  if (HasText(bytes, chunk, "VP8X") && length >= 10) {
    sniffed->width = static_cast<int>(ReadU24Le(bytes, body + 4)) + 1;
    sniffed->height = static_cast<int>(ReadU24Le(bytes, body + 7)) + 1;
    return true;
  }
  if (HasText(bytes, chunk, "VP8 ") && length >= 10 && HasText(bytes, body + 3, "\x9D\x01\x2A")) {
    sniffed->width = ReadU16Le(bytes, body + 6) & 0x3FFF;
    sniffed->height = ReadU16Le(bytes, body + 8) & 0x3FFF;
    return true;
  }
  if (HasText(bytes, chunk, "VP8L") && length >= 5 && bytes[body] == 0x2F) {
    const uint32_t sides = ReadU32Le(bytes, body + 1);
    sniffed->width = static_cast<int>(sides & 0x3FFF) + 1;
    sniffed->height = static_cast<int>(sides >> 14 & 0x3FFF) + 1;
    return true;
  }
  return false;
}

}  // namespace

Result<SniffedImage> ReadWebpHeader(Bytes bytes) {
  SniffedImage sniffed;
  const uint32_t riff_size = ReadU32Le(bytes, 4);
  // The declared size is not reliable: some writers include the header or omit the last chunk's padding byte.
  // The chunks are checked instead.
  bytes = bytes.first(std::min<uint64_t>(8 + uint64_t{riff_size}, bytes.size()));
  int frames = 0;
  bool has_pixels = false;
  uint64_t at = kRiffHeader;
  while (Holds(bytes, at, kChunkHeader)) {
    const uint32_t length = ReadU32Le(bytes, at + 4);
    if (!Holds(bytes, at + kChunkHeader, length)) {
      if (has_pixels) break;  // only the first frame is judged, and it lies before this point
      return EndsEarly(ImageFormat::kWebp);
    }
    if (at == kRiffHeader && !ReadSize(bytes, at, length, &sniffed)) {
      return Contradiction(ImageFormat::kWebp, "no_size");
    }
    has_pixels |= HasText(bytes, at, "VP8 ") || HasText(bytes, at, "VP8L") || HasText(bytes, at, "ANMF");
    if (HasText(bytes, at, "ANMF") && frames < 1000) ++frames;
    if (HasText(bytes, at, "EXIF")) {
      sniffed.orientation = ReadExifOrientation(bytes.subspan(at + kChunkHeader, length));
    }
    if (HasText(bytes, at, "C2PA")) sniffed.has_manifest = true;
    at += kChunkHeader + length + (length & 1);
  }
  if (!has_pixels) return EndsEarly(ImageFormat::kWebp);
  if (frames > 0) sniffed.frame_count = frames;
  return sniffed;
}

}  // namespace telltale
