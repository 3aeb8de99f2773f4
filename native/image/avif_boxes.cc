// Headers of boxes: 32-bit and 64-bit sizes, and the last box of a file.
#include "image/avif_boxes.h"

namespace telltale {

std::optional<Box> ReadBox(Bytes bytes, uint64_t at) {
  if (!Holds(bytes, at, 8)) return std::nullopt;
  Box box{.body = at + 8, .end = bytes.size(), .type_at = at + 4};
  uint64_t size = ReadU32Be(bytes, at);
  if (size == 1) {
    if (!Holds(bytes, at, 16)) return std::nullopt;
    size = ReadUint(bytes, at + 8, 8, ByteOrder::kBig);
    box.body = at + 16;
  }
  if (size != 0) {  // 0: to the end of the file
    if (size < box.body - at || !Holds(bytes, at, size)) return std::nullopt;
    box.end = at + size;
  }
  return box;
}

}  // namespace telltale
