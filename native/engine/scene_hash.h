// Hashes of what an image shows, by which copies that were re-encoded, resized or cropped by up to a tenth
// are found again.
//
// A hash has a bit for each of the lowest frequencies of the discrete cosine transform, but the mean: whether
// it is positive. What is kept is that of the middle of an image, which a crop of up to a tenth leaves whole.
// A query has one for each place at which the middle of the other image may lie in its own: of whichever of
// the two was cropped. Hashes are kept in databases: the same pixels always give the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "engine/scene_levels.h"
#include "image/image.h"

namespace telltale {

// Bits in words of 32, the lowest frequencies first; the last bit is 0.
using SceneHash = std::array<uint32_t, 8>;

struct Scene {
  SceneHash middle{};
  // The hashes that the middle of an image may have which shows the same.
  std::vector<SceneHash> windows;
  // True if half of the image's middle or more is of one grey level, such as the ground of a text. Hashes of
  // such images are near each other, because most bits are of frequencies near zero.
  bool is_flat = false;
  FineLevels levels;
};

// The longer side that an image is shrunk to before it is hashed: a decoder may stop there.
inline constexpr int kScenePx = 512;

// Nothing if the image shows too little to be told from others: a blank image, or a few lines of text on a
// plain ground. Throws cv::Exception and std::bad_alloc.
std::optional<Scene> HashScene(const Image& image);

// A checked image that is looked for in what may be its original.
struct SceneSearch {
  SceneHash hash{};  // of its middle
  double shape = 1;  // its aspect ratio, as a multiple of the original's
  TELLTALE_FIELDS(hash, shape)
};

struct SceneLocation {
  double difference = 1;                 // share of bits that differ, 0..1
  std::vector<double> crop{0, 0, 1, 1};  // left, top, width, height as shares of the original
  TELLTALE_FIELDS(difference, crop)
};

// Where the whole or a part of `original`, at least half of its sides, looks most like what is searched for.
// Throws cv::Exception and std::bad_alloc.
SceneLocation LocateScene(const Image& original, const SceneSearch& search);

}  // namespace telltale
