// Crops: the squares of an image that the encoder network sees. They are chosen by the rules in
// models/training/SPECIFICATION.md, "Crops".
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"
#include "inference/pixel_batch.h"

namespace telltale {

// Crops cut from the image after shrinking it until its shorter side is at most `short_side_px`.
struct CropType {
  int short_side_px = 0;  // 0: native resolution
  int count = 0;          // maximum number of crops
};

// Position of a crop, in pixels of the shrunken image. A crop may reach beyond it into padding.
struct CropPlace {
  int x = 0;
  int y = 0;
  int width = 0;   // of the shrunken image, before padding
  int height = 0;  // of the shrunken image, before padding
};

// Crops of one image, grouped by type: their pixels, one crop per row, and the position of each crop.
struct Crops {
  PixelBatch pixels;
  std::vector<CropPlace> places;  // one per row
  std::vector<int> type_counts;   // rows of each type, at least one
};

// Shrinks `image` by area averaging to a shorter side of `short_side_px`. Keeps the aspect ratio. Requires
// that the image's shorter side is longer than that.
Image ShrinkShortSide(const Image& image, int short_side_px);

// Pads each side that is shorter than `size_px` to `size_px`, at the right or bottom. The added pixels mirror
// the image, without repeating its outermost row or column.
Image PadToSize(const Image& image, int size_px);

// Chooses positions for at most `count` crops of size_px x size_px. The image is divided into a grid of about
// its aspect ratio, and each cell contributes the position with the most texture. Returns them row by row.
// Requires that no side of `image` is shorter than `size_px`.
std::vector<Box> ChoosePlaces(const Image& image, int size_px, int count);

// Cuts the crops of all `crop_types`, each of size_px x size_px. Throws cv::Exception and std::bad_alloc.
Crops CutCrops(const Image& image, const std::vector<CropType>& crop_types, int size_px);

// Returns true if all crops have one colour, apart from compression noise, so that they cannot be judged.
bool AreBlank(const PixelBatch& crops);

}  // namespace telltale
