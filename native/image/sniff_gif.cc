// Reading the blocks of a GIF file (GIF89a) up to its end.
#include <algorithm>

#include "image/byte_reader.h"
#include "image/headers.h"

namespace telltale {
namespace {

constexpr uint64_t kScreenEnd = 13;
constexpr uint8_t kExtension = 0x21;
constexpr uint8_t kImage = 0x2C;
constexpr uint8_t kTrailer = 0x3B;
constexpr uint8_t kApplication = 0xFF;

uint64_t ColourTableSize(uint8_t flags) { return flags & 0x80 ? uint64_t{3} << ((flags & 7) + 1) : 0; }

// Moves `at` behind a sequence of data blocks. Returns false if the file ends within the sequence. The empty
// block at its end may be missing at the end of the file, because the decoder detects missing pixels.
bool SkipSubBlocks(Bytes bytes, uint64_t* at) {
  while (Holds(bytes, *at, 1)) {
    const uint8_t length = bytes[*at];
    *at += 1 + length;
    if (length == 0) return true;
  }
  return *at == bytes.size();
}

// Moves `at` behind the extension or frame there. Returns false without either, or if the file ends first.
bool SkipBlock(Bytes bytes, uint64_t* at) {
  if (bytes[*at] == kExtension) {
    *at += 2;
  } else if (bytes[*at] == kImage && Holds(bytes, *at, 10)) {
    *at += 10 + ColourTableSize(bytes[*at + 9]) + 1;
  } else {
    return false;
  }
  return SkipSubBlocks(bytes, at);
}

bool IsManifest(Bytes bytes, uint64_t at) {
  return bytes[at] == kExtension && Holds(bytes, at, 2) && bytes[at + 1] == kApplication &&
         HasText(bytes, at + 2,
                 "\x0B"
                 "C2PA_GIF");
}

}  // namespace

Result<SniffedImage> ReadGifHeader(Bytes bytes) {
  SniffedImage sniffed;
  if (!Holds(bytes, 0, kScreenEnd)) return EndsEarly(ImageFormat::kGif);
  sniffed.width = ReadU16Le(bytes, 6);
  sniffed.height = ReadU16Le(bytes, 8);
  int frames = 0;
  uint64_t at = kScreenEnd + ColourTableSize(bytes[10]);
  while (Holds(bytes, at, 1) && bytes[at] != kTrailer) {
    const uint64_t block = at;
    const bool is_frame = bytes[block] == kImage;
    // C2PA 2.1 (A.3.8) allows a manifest only before the first frame.
    if (frames == 0 && IsManifest(bytes, block)) sniffed.has_manifest = true;
    if (!SkipBlock(bytes, &at)) {
      // Damage after the first frame is ignored, because only the first frame is judged.
      if (frames > 0) break;
      if (is_frame || bytes[block] == kExtension) return EndsEarly(ImageFormat::kGif);
      return Contradiction(ImageFormat::kGif, "unknown_block");
    }
    if (is_frame && frames == 0) {
      // A first frame larger than the declared canvas enlarges the canvas, as in browsers.
      sniffed.width = std::max<int>(sniffed.width, ReadU16Le(bytes, block + 1) + ReadU16Le(bytes, block + 5));
      sniffed.height =
          std::max<int>(sniffed.height, ReadU16Le(bytes, block + 3) + ReadU16Le(bytes, block + 7));
    }
    if (is_frame && frames < 1000) ++frames;
  }
  if (frames == 0 && !Holds(bytes, at, 1)) return EndsEarly(ImageFormat::kGif);
  if (frames == 0) return Contradiction(ImageFormat::kGif, "no_frame");
  sniffed.frame_count = frames;
  return sniffed;
}

}  // namespace telltale
