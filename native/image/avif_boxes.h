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

// Returns the four characters of a box type as an integer.
constexpr uint32_t BoxType(const char (&name)[5]) {
  uint32_t type = 0;
  for (int i = 0; i < 4; ++i) type = type << 8 | static_cast<uint8_t>(name[i]);
  return type;
}

// Returns the big-endian integer of `size` bytes (at most 8) at `at`, or 0 if it is outside `body`; libavif
// rejects such a file.
inline uint64_t ReadField(Bytes body, uint64_t at, int size) {
  return size > 0 && Holds(body, at, size) ? ReadUint(body, at, size, ByteOrder::kBig) : 0;
}

// Returns the part of a box's body from `at` on.
inline Bytes From(Bytes body, uint64_t at) { return body.subspan(std::min<uint64_t>(at, body.size())); }

// Location of an item's data: in its meta box's `idat` or in the file.
struct ItemLocation {
  struct Extent {
    uint64_t offset = 0;
    uint64_t length = 0;
  };
  uint64_t id = 0;
  bool in_idat = false;
  std::vector<Extent> extents;
};

// Calls `visit` for each item that an `iloc` body lists, until `visit` returns false. Returns false if
// `visit` did, if an item has more than `max_extents` extents, or if the box has fields of more than 8 bytes.
bool ReadItemLocations(Bytes body, uint64_t max_extents,
                       const std::function<bool(const ItemLocation&)>& visit);

// Returns the box at `at`, or nullopt if it is not completely inside `bytes`.
std::optional<BmffBox> ReadBox(Bytes bytes, uint64_t at);

}  // namespace telltale
