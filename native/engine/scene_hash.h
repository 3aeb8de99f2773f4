// Scene hashes: hashes of an image's content, which find copies that were re-encoded, resized or cropped by
// up to a tenth.
//
// A hash has one bit for each of the lowest frequencies of the discrete cosine transform, except the mean. A
// bit is 1 if its frequency is positive. The stored hash covers the middle of an image, which a crop of up to
// a tenth leaves complete. A query computes one hash for each position at which the stored middle may lie,
// because either of the two images may be cropped. Hashes are stored in databases, so the same pixels must
// always give the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fields.h"
#include "engine/scene_levels.h"
#include "image/image.h"

namespace telltale {

// Bits of a hash in words of 32, lowest frequencies first. The last bit is unused and 0.
using SceneHash = std::array<uint32_t, 8>;

struct Scene {
  SceneHash middle{};
  // Hashes by which to look up stored images: one for each position that the middle of a copy may have.
  std::vector<SceneHash> windows;
  // True if at least half of the image's middle has one grey level, such as the background of a text. Such
  // images have similar hashes, because most of their frequencies are near zero.
  bool is_flat = false;
  FineLevels levels;
};

// Maximum longer side of the image that is hashed. A decoder may stop at this size.
inline constexpr int kScenePx = 512;

// Computes the scene hashes of an image. Returns nullopt if the image has too little detail, such as a blank
// image or a few lines of text on a plain background. Throws cv::Exception and std::bad_alloc.
std::optional<Scene> HashScene(const Image& image);

// The checked image whose place in a possible original is searched for.
struct SceneSearch {
  SceneHash hash{};  // hash of the image's middle
  double shape = 1;  // aspect ratio as a multiple of the original's
  TELLTALE_FIELDS(hash, shape)
};

struct SceneLocation {
  double difference = 1;                 // share of differing bits, 0..1
  std::vector<double> crop{0, 0, 1, 1};  // left, top, width, height as shares of the original
  TELLTALE_FIELDS(difference, crop)
};

// Returns the part of `original` that is most similar to the checked image. The part covers at least half of
// the original's width and height. Throws cv::Exception and std::bad_alloc.
SceneLocation LocateScene(const Image& original, const SceneSearch& search);

}  // namespace telltale
