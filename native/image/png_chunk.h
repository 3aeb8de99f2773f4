// The checksum of a PNG chunk.
#pragma once

#include <zlib.h>

#include "image/byte_reader.h"

namespace telltale {

// Whether the chunk at `at`, whose data is `length` bytes and which lies wholly inside `bytes`, has the CRC
// that belongs to it. What an ancillary chunk with another says is left out, as viewers do.
inline bool HasRightChecksum(Bytes bytes, uint64_t at, uint32_t length) {
  const uLong sum = crc32(0, bytes.data() + at + 4, static_cast<uInt>(length) + 4);
  return sum == ReadU32Be(bytes, at + 8 + length);
}

}  // namespace telltale
