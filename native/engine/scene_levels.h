// The finer comparison of two images that may show the same: all of their grey levels, block by block.
//
// Hashes of a scene (scene_hash.h) find copies; images of one form or template hash near each other, too.
// This comparison tells them apart by the block that differs most, such as another name on the same card.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// Side of the square of grey levels, whatever the image's aspect ratio.
inline constexpr int kFineSide = 128;

// Row by row, kFineSide x kFineSide. Stored in databases.
using FineLevels = std::vector<uint8_t>;

// Shrinks the image to its levels. Throws cv::Exception and std::bad_alloc.
FineLevels ShrinkToFineLevels(const Image& image);

// An image that is compared with a checked one.
struct SceneComparison {
  FineLevels levels;
  TELLTALE_FIELDS(levels)
};

// Lays the two images over each other, either of which may be a crop of the other by up to a tenth. Returns
// the difference of the block that differs most: 0 for equal blocks, some 1 and more for unrelated ones.
// Requires levels of kFineSide x kFineSide. Throws cv::Exception and std::bad_alloc.
double CompareScenes(const Image& image, const SceneComparison& known);

}  // namespace telltale
