// Decompressing texts and colour profiles, up to a limit.
#pragma once

#include <string>

#include "image/image.h"

namespace telltale {

// Decompresses zlib or gzip data to at most `limit` bytes. After an error, returns the bytes before it.
std::string Inflate(Bytes data, size_t limit);

}  // namespace telltale
