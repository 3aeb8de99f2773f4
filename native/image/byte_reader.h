// Reading integers from untrusted bytes, with bounds checks.
#pragma once

#include <cstring>
#include <string_view>

#include "image/image.h"

namespace telltale {

enum class ByteOrder { kBig, kLittle };

// Returns true if `bytes` has `count` bytes from `offset` on. The sum cannot overflow.
inline bool Holds(Bytes bytes, uint64_t offset, uint64_t count) {
  return offset <= bytes.size() && count <= bytes.size() - offset;
}

// Returns the unsigned integer of `size` bytes (1..8) at `offset`. Requires Holds(bytes, offset, size).
inline uint64_t ReadUint(Bytes bytes, uint64_t offset, int size, ByteOrder order) {
  const uint8_t* first = bytes.data() + offset;
  uint64_t value = 0;
  for (int i = 0; i < size; ++i) {
    value = value << 8 | first[order == ByteOrder::kBig ? i : size - 1 - i];
  }
  return value;
}

// The following functions read integers of fixed sizes. Like ReadUint, they require that the bytes exist.
inline uint16_t ReadU16Be(Bytes bytes, uint64_t offset) {
  return static_cast<uint16_t>(ReadUint(bytes, offset, 2, ByteOrder::kBig));
}
inline uint32_t ReadU32Be(Bytes bytes, uint64_t offset) {
  return static_cast<uint32_t>(ReadUint(bytes, offset, 4, ByteOrder::kBig));
}
inline uint16_t ReadU16Le(Bytes bytes, uint64_t offset) {
  return static_cast<uint16_t>(ReadUint(bytes, offset, 2, ByteOrder::kLittle));
}
inline uint32_t ReadU24Le(Bytes bytes, uint64_t offset) {
  return static_cast<uint32_t>(ReadUint(bytes, offset, 3, ByteOrder::kLittle));
}
inline uint32_t ReadU32Le(Bytes bytes, uint64_t offset) {
  return static_cast<uint32_t>(ReadUint(bytes, offset, 4, ByteOrder::kLittle));
}

// Returns true if the bytes at `offset` are `text`, which may contain NUL characters. False past the end.
inline bool HasText(Bytes bytes, uint64_t offset, std::string_view text) {
  return Holds(bytes, offset, text.size()) &&
         std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

}  // namespace telltale
