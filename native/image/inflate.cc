// Decompressing texts and colour profiles with zlib.
#include "image/inflate.h"

#include <zlib.h>

namespace telltale {

std::string Inflate(Bytes data, size_t limit) {
  z_stream stream{};
  // Adding 32 to the window size makes zlib accept both its own and gzip's headers.
  if (inflateInit2(&stream, MAX_WBITS + 32) != Z_OK) return {};
  std::string text(limit, '\0');
  stream.next_in = const_cast<Bytef*>(data.data());
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(limit);
  inflate(&stream, Z_FINISH);
  text.resize(limit - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

}  // namespace telltale
