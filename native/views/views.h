// What the encoder sees of an image, by the rules in models/training/SPECIFICATION.md, "Crops".
#pragma once

#include <vector>

#include "face/face.h"
#include "image/image.h"
#include "inference/pixel_batch.h"

namespace telltale {

// Views of one kind: crops of the image shrunk so that its shorter side is at most `short_side_px`.
struct ViewKind {
  int short_side_px = 0;  // 0: native resolution
  int count = 0;          // at most so many views
};

// Where a view was cut, in pixels of the image as it was shrunken for its kind. The view reaches beyond
// that image where it was padded.
struct ViewPlace {
  int x = 0;
  int y = 0;
  int width = 0;   // of the shrunken image, before padding
  int height = 0;  // of the shrunken image, before padding
};

// Views of one image, kind by kind: rows of `pixels`, and where each was cut.
struct Views {
  PixelBatch pixels;
  std::vector<ViewPlace> places;  // of each row
  std::vector<int> kind_counts;   // rows of each kind, at least one
};

// `image`, whose shorter side is longer, with one of `short_side_px`: by area, the other side in proportion.
Image ShrinkShortSide(const Image& image, int short_side_px);

// `image` with every side shorter than `size_px` padded, right or bottom, to `size_px` by reflection without
// repeating the edge.
Image PadToSize(const Image& image, int size_px);

// Where to cut at most `count` views of size_px x size_px, row by row. Each cell of a grid of about the
// image's aspect gives the candidate with the most texture. No side of `image` is shorter than `size_px`.
std::vector<Box> ChoosePlaces(const Image& image, int size_px, int count);

// Cuts the views of all `kinds`, of size_px x size_px each. Throws cv::Exception and std::bad_alloc.
Views CutViews(const Image& image, const std::vector<ViewKind>& kinds, int size_px);

// Whether all views are of one colour, but for the noise of a codec: nothing is to be seen in them.
bool AreBlank(const PixelBatch& views);

}  // namespace telltale
