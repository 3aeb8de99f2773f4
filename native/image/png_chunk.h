// The checksum of a PNG chunk.
#pragma once

#include <zlib.h>

#include "image/byte_reader.h"

namespace telltale {

// Returns true if the chunk at `at` has the right CRC. Requires that the chunk, with `length` bytes of data,
// is completely inside `bytes`. Callers ignore an ancillary chunk with a wrong CRC, as viewers do.
inline bool HasRightChecksum(Bytes bytes, uint64_t at, uint32_t length) {
  const uLong sum = crc32(0, bytes.data() + at + 4, static_cast<uInt>(length) + 4);
  return sum == ReadU32Be(bytes, at + 8 + length);
}

}  // namespace telltale
