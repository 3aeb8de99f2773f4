// Shrinking an image, choosing crop positions and cutting crops.
#include "crops/crops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include "inference/preprocess.h"

namespace telltale {
namespace {

// Maximum range of grey levels in an area that counts as one colour. Compression leaves small differences,
// and JPEG at quality 50 leaves smaller ones than this limit.
constexpr int kBlankRange = 6;

struct CropGrid {
  int columns = 1;
  int rows = 1;
};

// Chooses the grid of at most `count` cells, one crop per cell. Prefers the most cells, then the aspect ratio
// nearest to the image's, then the fewest columns.
CropGrid ChooseGrid(int width, int height, int size_px, int count) {
  const auto misfit = [&](const CropGrid& grid) {
    return std::abs(static_cast<int64_t>(grid.columns) * height - static_cast<int64_t>(grid.rows) * width);
  };
  CropGrid best;
  for (int columns = 1; columns <= (width + size_px - 1) / size_px; ++columns) {
    for (int rows = 1; rows <= (height + size_px - 1) / size_px && columns * rows <= count; ++rows) {
      const CropGrid grid{columns, rows};
      const int more = columns * rows - best.columns * best.rows;
      if (more > 0 || (more == 0 && misfit(grid) < misfit(best))) best = grid;
    }
  }
  return best;
}

// Returns the positions to try for a crop in cell `index` of `cells`, on an axis of `length` pixels.
std::vector<int> Candidates(int index, int cells, int length, int size_px) {
  const int start = static_cast<int>(static_cast<int64_t>(index) * length / cells);
  const int end = static_cast<int>(static_cast<int64_t>(index + 1) * length / cells);
  const int room = end - start - size_px;
  if (room >= 0) return {start, start + room / 2, start + room};
  if (cells == 1) return {(length - size_px) / 2};
  return {index * (length - size_px) / (cells - 1)};
}

// Measures texture: the sum of differences between neighbouring pixels in the green channel.
class TextureMeter {
 public:
  TextureMeter(const Image& image, int size_px)
      : image_(image), samples_(static_cast<size_t>(size_px) * 3), green_(samples_) {
    for (size_t i = 1; i < samples_; i += 3) green_[i] = 0xFF;
  }

  int64_t Measure(int left, int top) {
    int64_t energy = 0;
    const int size = static_cast<int>(samples_ / 3);
    for (int y = top; y < top + size; ++y) {
      const uint8_t* row = image_.row(y) + static_cast<size_t>(left) * 3;
      energy += Difference(row, row + 3, samples_ - 3);
      if (y > top) energy += Difference(row, image_.row(y - 1) + static_cast<size_t>(left) * 3, samples_);
    }
    return energy;
  }

 private:
  // Returns the sum of differences between the green samples of two rows. Masks the other channels instead of
  // skipping them, so that the compiler can vectorise the loop.
  int Difference(const uint8_t* a, const uint8_t* b, size_t samples) const {
    const uint8_t* green = green_.data();
    int sum = 0;
    for (size_t i = 0; i < samples; ++i) sum += std::abs((a[i] & green[i]) - (b[i] & green[i]));
    return sum;
  }

  const Image& image_;
  const size_t samples_;        // samples in a row of a crop
  std::vector<uint8_t> green_;  // 0xFF for green samples, else 0
};

void CopyBox(const Image& image, const Box& box, uint8_t* crop) {
  const size_t row_size = static_cast<size_t>(box.width) * 3;
  for (int y = 0; y < box.height; ++y) {
    std::memcpy(crop + y * row_size, image.row(box.y + y) + static_cast<size_t>(box.x) * 3, row_size);
  }
}

}  // namespace

Image ShrinkShortSide(const Image& image, int short_side_px) {
  const int shorter = std::min(image.width, image.height);
  // Rounds halves to even, because the training code in Python does the same.
  const auto scale = [&](int side) {
    const double wanted = static_cast<double>(static_cast<int64_t>(side) * short_side_px) / shorter;
    return std::max(short_side_px, static_cast<int>(std::lrint(wanted)));
  };
  Image shrunk;
  shrunk.width = scale(image.width);
  shrunk.height = scale(image.height);
  const size_t stride = static_cast<size_t>(shrunk.width) * 3;
  shrunk.pixels.resize(stride * shrunk.height);
  ResizeInto(image, shrunk.width, shrunk.height, stride, shrunk.pixels.data());
  return shrunk;
}

Image PadToSize(const Image& image, int size_px) {
  Image padded;
  padded.width = std::max(image.width, size_px);
  padded.height = std::max(image.height, size_px);
  padded.pixels.resize(static_cast<size_t>(padded.width) * padded.height * 3);
  // The cast is needed because OpenCV has no read-only matrix type. copyMakeBorder only reads its source.
  const cv::Mat source(image.height, image.width, CV_8UC3, const_cast<uint8_t*>(image.pixels.data()));
  cv::Mat target(padded.height, padded.width, CV_8UC3, padded.pixels.data());
  cv::copyMakeBorder(source, target, 0, padded.height - image.height, 0, padded.width - image.width,
                     cv::BORDER_REFLECT_101);
  return padded;
}

std::vector<Box> ChoosePlaces(const Image& image, int size_px, int count) {
  const CropGrid grid = ChooseGrid(image.width, image.height, size_px, count);
  TextureMeter meter(image, size_px);
  std::vector<Box> boxes;
  for (int row = 0; row < grid.rows; ++row) {
    const std::vector<int> tops = Candidates(row, grid.rows, image.height, size_px);
    for (int column = 0; column < grid.columns; ++column) {
      const std::vector<int> lefts = Candidates(column, grid.columns, image.width, size_px);
      Box best{lefts.front(), tops.front(), size_px, size_px};
      if (lefts.size() * tops.size() > 1) {
        int64_t most = -1;
        for (const int top : tops) {
          for (const int left : lefts) {
            const int64_t energy = meter.Measure(left, top);
            if (energy <= most) continue;
            most = energy;
            best.x = left;
            best.y = top;
          }
        }
      }
      boxes.push_back(best);
    }
  }
  return boxes;
}

Crops CutCrops(const Image& image, const std::vector<CropType>& crop_types, int size_px) {
  int most = 0;
  for (const CropType& type : crop_types) most += type.count;
  Crops crops;
  crops.pixels = PixelBatch(most, size_px, size_px);
  int row = 0;
  for (const CropType& type : crop_types) {
    const bool shrinks = type.short_side_px > 0 && std::min(image.width, image.height) > type.short_side_px;
    const Image shrunk = shrinks ? ShrinkShortSide(image, type.short_side_px) : Image();
    const Image& scaled = shrinks ? shrunk : image;
    const bool is_small = std::min(scaled.width, scaled.height) < size_px;
    const Image padded = is_small ? PadToSize(scaled, size_px) : Image();
    const Image& source = is_small ? padded : scaled;
    const std::vector<Box> boxes = ChoosePlaces(source, size_px, type.count);
    for (const Box& box : boxes) {
      CopyBox(source, box, crops.pixels.row(row++));
      crops.places.push_back({box.x, box.y, scaled.width, scaled.height});
    }
    crops.type_counts.push_back(static_cast<int>(boxes.size()));
  }
  crops.pixels.rows = row;
  crops.pixels.pixels.resize(crops.pixels.row_size() * row);
  return crops;
}

bool AreBlank(const PixelBatch& crops) {
  if (crops.rows == 0) return false;
  for (size_t channel = 0; channel < 3; ++channel) {
    int least = 255;
    int most = 0;
    for (size_t at = channel; at < crops.pixels.size(); at += 3) {
      least = std::min<int>(least, crops.pixels[at]);
      most = std::max<int>(most, crops.pixels[at]);
      if (most - least > kBlankRange) return false;
    }
  }
  return true;
}

}  // namespace telltale
