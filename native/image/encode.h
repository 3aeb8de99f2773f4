// RGB to a file in memory: annotated images (PNG) and delivery tiers of the evaluation (JPEG).
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "image/image.h"

namespace telltale {

// Baseline JPEG, 4:2:0, standard tables at `quality` 1..100. Error: kInternalError.
Result<std::vector<uint8_t>> EncodeJpeg(const Image& image, int quality);

// PNG, 8-bit RGB. Error: kInternalError.
Result<std::vector<uint8_t>> EncodePng(const Image& image);

}  // namespace telltale
