// A finer comparison of two images that may show the same: all grey levels, block by block.
//
// Scene hashes (scene_hash.h) find copies, but images made from one form or template also hash close to each
// other. This comparison distinguishes them by the block that differs most, such as another name on the same
// card.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// Side of the square of grey levels, for any aspect ratio.
inline constexpr int kFineSide = 128;

// kFineSide x kFineSide levels, row by row. Stored in databases.
using FineLevels = std::vector<uint8_t>;

// Shrinks the image to its levels. Throws cv::Exception and std::bad_alloc.
FineLevels ShrinkToFineLevels(const Image& image);

// A known image to be compared with a checked image.
struct SceneComparison {
  FineLevels levels;
  TELLTALE_FIELDS(levels)
};

// Aligns the two images, either of which may be a crop of the other by up to a tenth. Returns the difference
// of the block that differs most: 0 for equal blocks, about 1 or more for unrelated blocks. Requires levels
// of kFineSide x kFineSide. Throws cv::Exception and std::bad_alloc.
double CompareScenes(const Image& image, const SceneComparison& known);

}  // namespace telltale
