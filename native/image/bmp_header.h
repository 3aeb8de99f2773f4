// The header of a BMP file in one form for all versions, for the header check and the decoder.
#pragma once

#include <array>
#include <cstdint>

#include "image/sniff.h"

namespace telltale {

enum class BmpCompression : uint32_t { kNone = 0, kRle8 = 1, kRle4 = 2, kBitFields = 3, kAlphaBitFields = 6 };

struct BmpHeader {
  int width = 0;   // pixels
  int height = 0;  // pixels, never negative
  bool top_down = false;
  int bits = 0;  // bits per pixel: 1, 2, 4, 8, 16, 24, 32
  BmpCompression compression = BmpCompression::kNone;
  std::array<uint32_t, 4> masks{};  // red, green, blue, alpha for 16 and 32 bits; alpha 0: opaque
  uint64_t palette_offset = 0;      // offset in the file
  int palette_entry_size = 4;       // bytes: blue, green, red, and a fourth unless 3
  int palette_count = 0;            // entries that the file holds, at most 256
  uint64_t pixel_offset = 0;        // offset in the file

  // Returns the number of bytes of an uncompressed row, including padding.
  uint64_t stride() const { return (static_cast<uint64_t>(width) * bits + 31) / 32 * 4; }
};

// Reads the header of a BMP file: BITMAPCOREHEADER (12 bytes), BITMAPINFOHEADER and its successors (40, 52,
// 56, 108, 124 bytes), or OS/2 2.x (16 to 64 bytes). Errors: kImageCorrupt, kUnsupportedFormat.
Result<BmpHeader> ParseBmpHeader(Bytes bytes);

}  // namespace telltale
