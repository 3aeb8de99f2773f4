// The quality setting that a JPEG encoder was given, read back from its quantisation tables.
#pragma once

#include <array>
#include <cstdint>

namespace telltale {

// Quantisation steps in row order (not zigzag), 1..65535.
using QuantTable = std::array<uint16_t, 64>;

// Closest quality 1..100 of the Independent JPEG Group's scale. `chroma` may be null (grey
// images, or one table for every component). Exact if the tables are Annex K's (ITU-T T.81) scaled by
// libjpeg's formula, with or without its 8-bit clamp. For any other tables it is the quality whose tables
// differ least in the mean absolute logarithm of the step. Thread-safe.
int EstimateJpegQuality(const QuantTable& luma, const QuantTable* chroma);

}  // namespace telltale
