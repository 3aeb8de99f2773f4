// Comparing two images that may show the same content, by all their grey levels and block by block.
//
// Scene hashes (scene_hash.h) find copies, but images made from one form or template also have similar
// hashes. This comparison tells them apart by the block that differs most, such as another name on the same
// card.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fields.h"
#include "image/image.h"

namespace telltale {

// Side of the square of grey levels to which an image of any aspect ratio is shrunk.
inline constexpr int kFineSide = 128;

// Grey levels of kFineSide x kFineSide, row by row. Stored in databases.
using FineLevels = std::vector<uint8_t>;

// Shrinks the image to kFineSide x kFineSide grey levels. Throws cv::Exception and std::bad_alloc.
FineLevels ShrinkToFineLevels(const Image& image);

// The known image with which a checked image is compared.
struct SceneComparison {
  FineLevels levels;
  TELLTALE_FIELDS(levels)
};

// Aligns the two images, either of which may be a crop of the other by up to a tenth. Returns the difference
// of the block that differs most: 0 for equal blocks, about 1 or more for unrelated blocks. Requires levels
// of kFineSide x kFineSide. Throws cv::Exception and std::bad_alloc.
double CompareScenes(const Image& image, const SceneComparison& known);

}  // namespace telltale
