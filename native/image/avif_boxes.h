// Boxes of ISO/IEC 14496-12, the container format of AVIF.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "image/byte_reader.h"

namespace telltale {

struct BmffBox {
  uint64_t body = 0;  // offset within the enclosing bytes
  uint64_t end = 0;
  bool Is(Bytes bytes, std::string_view type) const { return HasText(bytes, type_at, type); }
  uint64_t type_at = 0;
};

// Converts the four characters of a box type to an integer, so that it can be used in a switch.
constexpr uint32_t BoxType(const char (&name)[5]) {
  uint32_t type = 0;
  for (int i = 0; i < 4; ++i) type = type << 8 | static_cast<uint8_t>(name[i]);
  return type;
}

// Reads a big-endian integer of `size` bytes, at most 8. Returns 0 if `body` ends before that, because
// libavif rejects such a file anyway.
inline uint64_t ReadField(Bytes body, uint64_t at, int size) {
  return size > 0 && Holds(body, at, size) ? ReadUint(body, at, size, ByteOrder::kBig) : 0;
}

// Returns the bytes of a box from offset `at` to its end.
inline Bytes From(Bytes body, uint64_t at) { return body.subspan(std::min<uint64_t>(at, body.size())); }

// Location of the data of an item, such as an image: in the file or in the box `idat`.
struct ItemLocation {
  struct Extent {
    uint64_t offset = 0;
    uint64_t length = 0;
  };
  uint64_t id = 0;
  bool in_idat = false;
  std::vector<Extent> extents;
};

// Calls `visit` for each item in an `iloc` box, the list of data locations, until `visit` returns false.
// Returns false then, if an item has more than `max_extents` pieces, or if fields have more than 8 bytes.
bool ReadItemLocations(Bytes body, uint64_t max_extents,
                       const std::function<bool(const ItemLocation&)>& visit);

// Reads the header of the box at `at`. Returns nullopt if the box is not completely inside `bytes`.
std::optional<BmffBox> ReadBox(Bytes bytes, uint64_t at);

}  // namespace telltale
