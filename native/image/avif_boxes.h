// Boxes of ISO/IEC 14496-12, the container of AVIF.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "image/byte_reader.h"

namespace telltale {

struct BmffBox {
  uint64_t body = 0;  // bytes from the start of the enclosing bytes
  uint64_t end = 0;
  bool Is(Bytes bytes, std::string_view type) const { return HasText(bytes, type_at, type); }
  uint64_t type_at = 0;
};

// The four letters of a box's type as an integer.
constexpr uint32_t BoxType(const char (&name)[5]) {
  uint32_t type = 0;
  for (int i = 0; i < 4; ++i) type = type << 8 | static_cast<uint8_t>(name[i]);
  return type;
}

// The big-endian integer of `size` bytes (at most 8) at `at`; 0 if there is none, which libavif refuses.
inline uint64_t ReadField(Bytes body, uint64_t at, int size) {
  return size > 0 && Holds(body, at, size) ? ReadUint(body, at, size, ByteOrder::kBig) : 0;
}

// The rest of a box's body from `at` on.
inline Bytes From(Bytes body, uint64_t at) { return body.subspan(std::min<uint64_t>(at, body.size())); }

// Where the data of an item lies: in its meta box's `idat`, or in the file.
struct ItemLocation {
  struct Extent {
    uint64_t offset = 0;
    uint64_t length = 0;
  };
  uint64_t id = 0;
  bool in_idat = false;
  std::vector<Extent> extents;
};

// Gives the items that the body of an `iloc` lists to `visit` until it says no. False if it did, or where
// an item has more than `max_extents` or the box has fields of more than 8 bytes.
bool ReadItemLocations(Bytes body, uint64_t max_extents,
                       const std::function<bool(const ItemLocation&)>& visit);

// The box at `at`; nothing if it is not wholly inside `bytes`.
std::optional<BmffBox> ReadBox(Bytes bytes, uint64_t at);

}  // namespace telltale
