// Unpacking of compressed texts.
#pragma once

#include <string>

#include "image/image.h"

namespace telltale {

// At most `limit` bytes of what `data`, a zlib or gzip stream, inflates to; what came before a fault counts.
std::string Inflate(Bytes data, size_t limit);

}  // namespace telltale
