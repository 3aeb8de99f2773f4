// Decompressing texts in metadata, up to a limit.
#pragma once

#include <string>

#include "image/image.h"

namespace telltale {

// Decompresses `data`, a zlib or gzip stream, to at most `limit` bytes. After an error, returns the bytes
// that precede it.
std::string Inflate(Bytes data, size_t limit);

}  // namespace telltale
