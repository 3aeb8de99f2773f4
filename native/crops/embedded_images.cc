// Searching an image for straight dividing lines, and cutting it into the pieces between them.
#include "crops/embedded_images.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

#include "crops/crops.h"

namespace telltale {
namespace {

// Shorter side to which an image is shrunk for the search. A search at 640 px finds no more embedded images
// (models/training/experiments/0023).
constexpr int kPlanePx = 320;
// Minimum difference of brightness across a dividing line, in levels of 0 to 255. Chosen by hand.
constexpr int kMinStep = 12;
// Minimum share of a dividing line's pixels that must show a difference, in tenths. Chosen on validation
// images (models/training/experiments/0023).
constexpr int kMinTenths = 6;
// Maximum depth of nested cuts: pieces are cut again, for example by columns, then by rows, then by columns.
constexpr int kDepth = 3;
// Maximum share of the image's area, in percent. A larger piece is treated as the whole image.
constexpr int kMaxCovered = 95;

// Pixels that differ from their neighbours: once along the rows, once along the columns.
struct Parts {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> across;  // [height, width], 0 or 1
  std::vector<uint8_t> down;    // [width, height], 0 or 1; transposed, so that both are read row by row
};

// Returns the difference between two pixels, in the colour channel that differs most.
int StepBetween(const uint8_t* a, const uint8_t* b) {
  return std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])});
}

// Sets `parts` to 1 at the pixels of a row or column at which the colour jumps. `steps` is the difference at
// each pixel, 0 at both ends.
void MarkParts(const std::vector<int>& steps, uint8_t* parts, size_t stride) {
  const auto length = static_cast<int>(steps.size());
  for (int at = 0; at < length; ++at) {
    const int before = at >= 2 ? steps[at - 2] : 0;
    const int after = at + 2 < length ? steps[at + 2] : 0;
    parts[at * stride] = steps[at] >= kMinStep && steps[at] >= 2 * std::max(before, after) ? 1 : 0;
  }
}

Parts FindParts(const Image& plane) {
  Parts parts{plane.width, plane.height, {}, {}};
  parts.across.resize(static_cast<size_t>(plane.width) * plane.height);
  parts.down.resize(parts.across.size());
  std::vector<int> steps(plane.width);
  for (int y = 0; y < plane.height; ++y) {
    const uint8_t* row = plane.row(y);
    for (int x = 1; x + 1 < plane.width; ++x) steps[x] = StepBetween(row + x * 3 - 3, row + x * 3 + 3);
    MarkParts(steps, parts.across.data() + static_cast<size_t>(y) * plane.width, 1);
  }
  steps.assign(plane.height, 0);
  for (int x = 0; x < plane.width; ++x) {
    for (int y = 1; y + 1 < plane.height; ++y)
      steps[y] = StepBetween(plane.row(y - 1) + x * 3, plane.row(y + 1) + x * 3);
    MarkParts(steps, parts.down.data() + static_cast<size_t>(x) * plane.height, 1);
  }
  return parts;
}

// Counts the marked pixels of each column of `box`. `marks` is an array of [rows, stride].
std::vector<int> CountMarks(const std::vector<uint8_t>& marks, int stride, const Box& box) {
  std::vector<int> counts(box.width);
  for (int y = box.y; y < box.y + box.height; ++y) {
    const uint8_t* row = marks.data() + static_cast<size_t>(y) * stride + box.x;
    for (int x = 0; x < box.width; ++x) counts[x] += row[x];
  }
  return counts;
}

// Positions of the dividing lines along an axis, in ascending order. Adjacent candidates count as one line:
// the first one that has the most marked pixels.
struct Lines {
  std::vector<int> places;
  int most = 0;  // number of marked pixels of the best line
};

Lines FindLines(const std::vector<int>& counts, int length) {
  Lines lines;
  for (auto at = counts.begin(); at != counts.end(); ++at) {
    if (10 * *at < kMinTenths * length) continue;
    const auto first = at - std::min<std::ptrdiff_t>(2, at - counts.begin());
    const auto last = at + std::min<std::ptrdiff_t>(3, counts.end() - at);
    if (std::max_element(first, last) != at) continue;
    lines.places.push_back(static_cast<int>(at - counts.begin()));
    lines.most = std::max(lines.most, *at);
  }
  return lines;
}

// Converts a range of pixels of the shrunken image to the original's, rounded inwards: start and length.
std::pair<int, int> ScaleUp(int from, int length, int plane_side, int side) {
  const int64_t first = (static_cast<int64_t>(from) * side + plane_side - 1) / plane_side;
  const int64_t last = static_cast<int64_t>(from + length) * side / plane_side;
  return {static_cast<int>(first), static_cast<int>(last - first)};
}

int64_t AreaOf(const Box& box) { return static_cast<int64_t>(box.width) * box.height; }

// Cuts an image at its dividing lines and keeps the pieces that are large enough to be embedded images.
// `plane` is the shrunken image.
class EmbeddedImageSearch {
 public:
  EmbeddedImageSearch(const Image& image, const Image& plane, int least_px)
      : image_(image), plane_(plane), least_px_(least_px), parts_(FindParts(plane)) {}

  std::vector<Box> Find() {
    Cut({0, 0, plane_.width, plane_.height}, kDepth);
    return std::move(panels_);
  }

 private:
  // Adds `piece` to the result, or cuts it further. `piece` is given in pixels of the shrunken image.
  void Cut(const Box& piece, int depth) {
    const auto [x, width] = ScaleUp(piece.x, piece.width, plane_.width, image_.width);
    const auto [y, height] = ScaleUp(piece.y, piece.height, plane_.height, image_.height);
    if (std::min(width, height) < least_px_) return;
    if (depth > 0 && CutAtLines(piece, depth)) return;
    const Box box{x, y, width, height};
    if (100 * AreaOf(box) <= kMaxCovered * static_cast<int64_t>(image_.width) * image_.height)
      panels_.push_back(box);
  }

  // Cuts `piece` at its dividing lines. Returns false if it has none.
  bool CutAtLines(const Box& piece, int depth) {
    const Lines columns = FindLines(CountMarks(parts_.across, parts_.width, piece), piece.height);
    const Box turned{piece.y, piece.x, piece.height, piece.width};
    const Lines rows = FindLines(CountMarks(parts_.down, parts_.height, turned), piece.width);
    if (columns.places.empty() && rows.places.empty()) return false;
    // Cuts along the axis whose best line covers the larger share of the piece.
    const bool by_columns =
        static_cast<int64_t>(columns.most) * piece.width >= static_cast<int64_t>(rows.most) * piece.height;
    const std::vector<int>& places = by_columns ? columns.places : rows.places;
    const int start = by_columns ? piece.x : piece.y;
    int first = start;
    for (size_t i = 0; i <= places.size(); ++i) {
      // The line's own pixel and one pixel on each side of it belong to neither piece.
      const int last =
          i < places.size() ? start + places[i] - 1 : start + (by_columns ? piece.width : piece.height);
      if (last > first)
        Cut(by_columns ? Box{first, piece.y, last - first, piece.height}
                       : Box{piece.x, first, piece.width, last - first},
            depth - 1);
      if (i < places.size()) first = start + places[i] + 2;
    }
    return true;
  }

  const Image& image_;
  const Image& plane_;
  const int least_px_;
  const Parts parts_;
  std::vector<Box> panels_;
};

}  // namespace

std::vector<Box> FindEmbeddedImages(const Image& image, int least_px) {
  const bool shrinks = std::min(image.width, image.height) > kPlanePx;
  const Image shrunk = shrinks ? ShrinkShortSide(image, kPlanePx) : Image();
  std::vector<Box> embedded_images = EmbeddedImageSearch(image, shrinks ? shrunk : image, least_px).Find();
  std::sort(embedded_images.begin(), embedded_images.end(), [](const Box& a, const Box& b) {
    return std::tuple(-AreaOf(a), a.y, a.x) < std::tuple(-AreaOf(b), b.y, b.x);
  });
  embedded_images.resize(std::min(embedded_images.size(), kMaxEmbeddedImages));
  return embedded_images;
}

Image CutBox(const Image& image, const Box& box) {
  Image cut;
  cut.width = box.width;
  cut.height = box.height;
  const size_t row_size = static_cast<size_t>(box.width) * 3;
  cut.pixels.resize(row_size * box.height);
  for (int y = 0; y < box.height; ++y)
    std::memcpy(cut.row(y), image.row(box.y + y) + static_cast<size_t>(box.x) * 3, row_size);
  return cut;
}

}  // namespace telltale
