// Dispatches to the formats whose alpha channel keeps its lowest bits.
#include "image/alpha_columns.h"

#include <algorithm>

#include "image/decoders.h"
#include "image/headers.h"

namespace telltale {

int CountColumns(int width, int height, size_t least_samples) {
  const size_t columns = (least_samples + static_cast<size_t>(height) - 1) / static_cast<size_t>(height);
  return static_cast<int>(std::min(columns, static_cast<size_t>(width)));
}

std::optional<AlphaColumns> ReadAlphaColumns(Bytes file, size_t least_samples) {
  const std::optional<ImageFormat> format = FindFormat(file);
  AlphaColumns columns;
  const bool was_read = (format == ImageFormat::kPng && ReadPngAlpha(file, least_samples, &columns)) ||
                        (format == ImageFormat::kWebp && ReadWebpAlpha(file, least_samples, &columns));
  if (!was_read) return std::nullopt;
  return columns;
}

}  // namespace telltale
