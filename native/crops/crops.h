// What the encoder sees of an image, by the rules in models/training/SPECIFICATION.md, "Crops".
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"
#include "inference/pixel_batch.h"

namespace telltale {

// Crops of one type: of the image shrunk so that its shorter side is at most `short_side_px`.
struct CropType {
  int short_side_px = 0;  // 0: native resolution
  int count = 0;          // at most so many crops
};

// Where a crop was cut, in pixels of the image as it was shrunken for its type. The crop reaches beyond
// that image where it was padded.
struct CropPlace {
  int x = 0;
  int y = 0;
  int width = 0;   // of the shrunken image, before padding
  int height = 0;  // of the shrunken image, before padding
};

// Crops of one image, type by type: rows of `pixels`, and where each was cut.
struct Crops {
  PixelBatch pixels;
  std::vector<CropPlace> places;  // of each row
  std::vector<int> type_counts;   // rows of each type, at least one
};

// `image`, whose shorter side is longer, with one of `short_side_px`: by area, the other side in proportion.
Image ShrinkShortSide(const Image& image, int short_side_px);

// `image` with every side shorter than `size_px` padded, right or bottom, to `size_px` by reflection without
// repeating the edge.
Image PadToSize(const Image& image, int size_px);

// Where to cut at most `count` crops of size_px x size_px, row by row. Each cell of a grid of about the
// image's aspect gives the candidate with the most texture. No side of `image` is shorter than `size_px`.
std::vector<Box> ChoosePlaces(const Image& image, int size_px, int count);

// Cuts the crops of all `crop types`, of size_px x size_px each. Throws cv::Exception and std::bad_alloc.
Crops CutCrops(const Image& image, const std::vector<CropType>& crop_types, int size_px);

// Whether all crops are of one colour, but for the noise of a codec: nothing is to be seen in them.
bool AreBlank(const PixelBatch& crops);

}  // namespace telltale
