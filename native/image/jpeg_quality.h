// Estimating a JPEG's quality setting from its quantisation tables.
#pragma once

#include <array>
#include <cstdint>

namespace telltale {

// Quantisation steps in row order (not zigzag), 1..65535.
using QuantTable = std::array<uint16_t, 64>;

// Returns the closest quality 1..100 on the Independent JPEG Group's scale. `chroma` may be null (grey
// images, or one table for every component). The result is exact for tables from Annex K (ITU-T T.81), scaled
// by libjpeg's formula with or without its 8-bit clamp. For other tables, the result is the quality whose
// tables have the smallest mean absolute difference of log steps. Thread-safe.
int EstimateJpegQuality(const QuantTable& luma, const QuantTable* chroma);

}  // namespace telltale
