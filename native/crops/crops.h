// Crops of an image for the encoder, by the rules in models/training/SPECIFICATION.md, "Crops".
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"
#include "inference/pixel_batch.h"

namespace telltale {

// Crops cut from the image shrunk so that its shorter side is at most `short_side_px`.
struct CropType {
  int short_side_px = 0;  // 0: native resolution
  int count = 0;          // maximum number of crops
};

// Position of a crop, in pixels of the image as shrunk for its type. A padded crop reaches beyond that image.
struct CropPlace {
  int x = 0;
  int y = 0;
  int width = 0;   // of the shrunken image, before padding
  int height = 0;  // of the shrunken image, before padding
};

// Crops of one image, type by type: rows of `pixels`, and the place of each.
struct Crops {
  PixelBatch pixels;
  std::vector<CropPlace> places;  // one per row
  std::vector<int> type_counts;   // rows of each type, at least one
};

// Returns `image` shrunk by area to a shorter side of `short_side_px`, with its aspect ratio kept. Requires
// that the image's shorter side is longer.
Image ShrinkShortSide(const Image& image, int short_side_px);

// Returns `image` with every side shorter than `size_px` padded to `size_px`, at the right or bottom, by
// reflection without repeating the edge.
Image PadToSize(const Image& image, int size_px);

// Returns at most `count` boxes of size_px x size_px, row by row. Each cell of a grid with about the image's
// aspect ratio contributes the candidate with the most texture. Requires that no side of `image` is shorter
// than `size_px`.
std::vector<Box> ChoosePlaces(const Image& image, int size_px, int count);

// Cuts crops of size_px x size_px for all `crop_types`. Throws cv::Exception and std::bad_alloc.
Crops CutCrops(const Image& image, const std::vector<CropType>& crop_types, int size_px);

// Returns true if all crops are of one colour, except for codec noise, so that there is nothing to judge.
bool AreBlank(const PixelBatch& crops);

}  // namespace telltale
