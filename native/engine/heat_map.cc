// Turning the encoder's logits of tokens (small squares) into heat map cells, weighted by overlapping area.
#include "engine/heat_map.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace telltale {
namespace {

constexpr int kShortSideCells = 20;
// Minimum share of a cell's area that tokens must cover. A cell with a smaller covered share gets no value.
constexpr double kMinCover = 0.5;

// Returns the number of heat map cells along one side of an image. The shorter side has `short_cells` cells.
int CountCells(int side, int shorter, int short_cells) {
  return std::max(1, static_cast<int>(static_cast<int64_t>(side) * short_cells / shorter));
}

// Returns the pixel at which cell `index` of `cells` begins on a side of `length` pixels.
int Edge(int index, int length, int cells) {
  return static_cast<int>(static_cast<int64_t>(index) * length / cells);
}

// Overlap of a crop's tokens with the heat map cells, along one axis, as shares of a cell.
struct AxisCover {
  int first = 0;               // first cell that the crop touches
  std::vector<double> shares;  // [cells, side_tokens], starting at cell `first`
  std::vector<double> sums;    // sum of each cell's shares
};

// Computes the overlap for a crop that begins at `start`. The side of the shrunken image has `length` pixels.
AxisCover MeasureCover(int start, int length, int side_tokens, int cells) {
  const double scale = static_cast<double>(cells) / length;
  AxisCover cover;
  cover.first = static_cast<int>(start * scale);
  const int end = std::min(
      cells, static_cast<int>(std::ceil((start + kTokenPx * side_tokens) * scale)));  // crops may be padded
  for (int cell = cover.first; cell < end; ++cell) {
    double sum = 0;
    for (int token = 0; token < side_tokens; ++token) {
      const double from = std::max<double>(cell, (start + kTokenPx * token) * scale);
      const double to = std::min<double>(cell + 1, (start + kTokenPx * (token + 1)) * scale);
      cover.shares.push_back(std::max(0.0, to - from));
      sum += cover.shares.back();
    }
    cover.sums.push_back(sum);
  }
  return cover;
}

// Sums over the crops added so far, for each cell of the heat map.
struct HeatGrid {
  HeatGrid(int width, int height)
      : columns(width), rows(height), logits(static_cast<size_t>(width) * height), covers(logits.size()) {}
  int columns;
  int rows;
  std::vector<double> logits;  // sums of logits, weighted by area
  std::vector<double> covers;  // sums of covered areas; 1 is a whole cell
};

// Adds a crop to the heat map. `tokens` [side_tokens, side_tokens] are the crop's logits, and `place` is the
// crop's position.
void AddCrop(const float* tokens, int side_tokens, const CropPlace& place, HeatGrid* grid) {
  const AxisCover across = MeasureCover(place.x, place.width, side_tokens, grid->columns);
  const AxisCover down = MeasureCover(place.y, place.height, side_tokens, grid->rows);
  std::vector<double> strip(side_tokens);  // one row of cells, summed over token rows for each token column
  for (size_t row = 0; row < down.sums.size(); ++row) {
    std::fill(strip.begin(), strip.end(), 0);
    for (int y = 0; y < side_tokens; ++y) {
      const double share = down.shares[row * side_tokens + y];
      for (int x = 0; x < side_tokens; ++x) strip[x] += share * tokens[y * side_tokens + x];
    }
    const size_t target = (down.first + row) * grid->columns + across.first;
    for (size_t column = 0; column < across.sums.size(); ++column) {
      const double* shares = across.shares.data() + column * side_tokens;
      grid->logits[target + column] += std::inner_product(strip.begin(), strip.end(), shares, 0.0);
      grid->covers[target + column] += down.sums[row] * across.sums[column];
    }
  }
}

}  // namespace

std::vector<HeatMapCell> MakeHeatMap(const std::vector<float>& tokens, int side_tokens,
                                     const std::vector<CropPlace>& places, int width, int height) {
  const int shorter = std::min(width, height);
  const int short_cells = std::clamp(shorter / kTokenPx, 1, kShortSideCells);
  HeatGrid grid(CountCells(width, shorter, short_cells), CountCells(height, shorter, short_cells));
  const float* row_tokens = tokens.data();
  for (const CropPlace& place : places) {
    AddCrop(row_tokens, side_tokens, place, &grid);
    row_tokens += static_cast<size_t>(side_tokens) * side_tokens;
  }
  std::vector<HeatMapCell> cells;
  for (int row = 0; row < grid.rows; ++row) {
    const int top = Edge(row, height, grid.rows);
    for (int column = 0; column < grid.columns; ++column) {
      const size_t at = static_cast<size_t>(row) * grid.columns + column;
      if (grid.covers[at] < kMinCover) continue;
      const int left = Edge(column, width, grid.columns);
      cells.push_back(
          {{left, top, Edge(column + 1, width, grid.columns) - left, Edge(row + 1, height, grid.rows) - top},
           grid.logits[at] / grid.covers[at]});
    }
  }
  return cells;
}

}  // namespace telltale
