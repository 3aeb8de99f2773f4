// Estimating the quality setting with which a JPEG was saved, from its quantisation tables.
#pragma once

#include <array>
#include <cstdint>

namespace telltale {

// Quantisation steps of one table, row by row (not in zigzag order), 1..65535.
using QuantTable = std::array<uint16_t, 64>;

// Returns the closest quality 1..100 on the scale of the Independent JPEG Group. `chroma` is null for grey
// images and for files with one table for all components. The result is exact for the standard tables (ITU-T
// T.81, Annex K) scaled by libjpeg's formula, with or without its limit of 8 bits. For other tables, returns
// the quality with the smallest mean absolute difference of log steps. Thread-safe.
int EstimateJpegQuality(const QuantTable& luma, const QuantTable* chroma);

}  // namespace telltale
