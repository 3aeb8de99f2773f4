// Encoding RGB images in memory: annotated images as PNG, previews and images for evaluations as JPEG.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "image/image.h"

namespace telltale {

// Encodes a baseline JPEG, 4:2:0, with standard tables at `quality` 1..100. Error: kInternalError.
Result<std::vector<uint8_t>> EncodeJpeg(const Image& image, int quality);

// Encodes a PNG with 8-bit RGB. Error: kInternalError.
Result<std::vector<uint8_t>> EncodePng(const Image& image);

}  // namespace telltale
