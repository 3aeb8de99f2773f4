// Verifying the checksum of a PNG chunk, one of the units of a PNG file.
#pragma once

#include <zlib.h>

#include "image/byte_reader.h"

namespace telltale {

// Returns true if the checksum of the chunk at `at` is right. Requires that the chunk, with `length` bytes of
// data, is completely inside `bytes`. Callers ignore an optional chunk with a wrong checksum, as viewers do.
inline bool HasRightChecksum(Bytes bytes, uint64_t at, uint32_t length) {
  const uLong sum = crc32(0, bytes.data() + at + 4, static_cast<uInt>(length) + 4);
  return sum == ReadU32Be(bytes, at + 8 + length);
}

}  // namespace telltale
