// Reading the headers of boxes, the units of an AVIF file, and the locations of its images' data.
#include "image/avif_boxes.h"

namespace telltale {

std::optional<BmffBox> ReadBox(Bytes bytes, uint64_t at) {
  if (!Holds(bytes, at, 8)) return std::nullopt;
  BmffBox box{.body = at + 8, .end = bytes.size(), .type_at = at + 4};
  uint64_t size = ReadU32Be(bytes, at);
  if (size == 1) {
    if (!Holds(bytes, at, 16)) return std::nullopt;
    size = ReadUint(bytes, at + 8, 8, ByteOrder::kBig);
    box.body = at + 16;
  }
  if (size != 0) {  // 0: the box extends to the end of the file
    if (size < box.body - at || !Holds(bytes, at, size)) return std::nullopt;
    box.end = at + size;
  }
  return box;
}

bool ReadItemLocations(Bytes body, uint64_t max_extents,
                       const std::function<bool(const ItemLocation&)>& visit) {
  const uint64_t version = ReadField(body, 0, 1);
  const int offset_size = static_cast<int>(ReadField(body, 4, 1) >> 4);
  const int length_size = static_cast<int>(ReadField(body, 4, 1) & 15);
  const int base_size = static_cast<int>(ReadField(body, 5, 1) >> 4);
  const int index_size = version == 0 ? 0 : static_cast<int>(ReadField(body, 5, 1) & 15);
  if (std::max({offset_size, length_size, base_size, index_size}) > 8) return false;
  const int id_size = version < 2 ? 2 : 4;
  const uint64_t count = ReadField(body, 6, id_size);
  uint64_t at = 6 + id_size;
  for (uint64_t i = 0; i < count; ++i) {
    ItemLocation item;
    item.id = ReadField(body, at, id_size);
    at += id_size;
    if (version > 0) {
      item.in_idat = (ReadField(body, at, 2) & 15) == 1;
      at += 2;
    }
    const uint64_t base = ReadField(body, at + 2, base_size);
    at += 2 + base_size;
    const uint64_t extents = ReadField(body, at, 2);
    if (extents > max_extents) return false;
    at += 2;
    for (uint64_t extent = 0; extent < extents; ++extent) {
      at += index_size;
      const uint64_t offset = base + ReadField(body, at, offset_size);
      at += offset_size;
      item.extents.push_back({offset, ReadField(body, at, length_size)});
      at += length_size;
    }
    if (!visit(item)) return false;
  }
  return true;
}

}  // namespace telltale
