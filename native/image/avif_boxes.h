// Boxes of ISO/IEC 14496-12, the container of AVIF.
#pragma once

#include <optional>

#include "image/byte_reader.h"

namespace telltale {

struct Box {
  uint64_t body = 0;  // bytes from the start of the enclosing bytes
  uint64_t end = 0;
  bool Is(Bytes bytes, std::string_view type) const { return HasText(bytes, type_at, type); }
  uint64_t type_at = 0;
};

// The box at `at`; nothing where it is not wholly inside `bytes`.
std::optional<Box> ReadBox(Bytes bytes, uint64_t at);

}  // namespace telltale
