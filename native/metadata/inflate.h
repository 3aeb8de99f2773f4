// Decompression of compressed texts.
#pragma once

#include <string>

#include "image/image.h"

namespace telltale {

// Returns at most `limit` decompressed bytes of `data`, a zlib or gzip stream. After an error, returns the
// bytes before it.
std::string Inflate(Bytes data, size_t limit);

}  // namespace telltale
