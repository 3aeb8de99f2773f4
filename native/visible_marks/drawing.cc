// The visible signs of generators, drawn from lines, arcs and curves with the measures of real signs.
#include "visible_marks/drawing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace telltale {
namespace {

// A line with round ends.
struct Stroke {
  double x0, y0, x1, y1;
  double half_width;
};

bool Covers(const Stroke& stroke, double x, double y) {
  const double dx = stroke.x1 - stroke.x0, dy = stroke.y1 - stroke.y0;
  const double length = std::max(dx * dx + dy * dy, 1e-9);
  const double along = std::clamp(((x - stroke.x0) * dx + (y - stroke.y0) * dy) / length, 0.0, 1.0);
  return std::hypot(x - stroke.x0 - along * dx, y - stroke.y0 - along * dy) <= stroke.half_width;
}

bool Covers(const std::vector<Stroke>& strokes, double x, double y) {
  return std::any_of(strokes.begin(), strokes.end(),
                     [x, y](const Stroke& stroke) { return Covers(stroke, x, y); });
}

// The centre line of an arc, drawn clockwise between two angles. The angle 0 points right.
struct Arc {
  double x, y;  // centre
  double radius_x, radius_y;
  double from_degrees, to_degrees;
  double half_width;
};

void Add(const Arc& arc, std::vector<Stroke>* strokes) {
  constexpr int kPieces = 24;
  const auto point = [&arc](int piece) {
    const double degrees = arc.from_degrees + (arc.to_degrees - arc.from_degrees) * piece / kPieces;
    const double angle = degrees * std::numbers::pi / 180;
    return std::pair(arc.x + arc.radius_x * std::cos(angle), arc.y + arc.radius_y * std::sin(angle));
  };
  for (int piece = 0; piece < kPieces; ++piece) {
    const auto [x0, y0] = point(piece);
    const auto [x1, y1] = point(piece + 1);
    strokes->push_back({x0, y0, x1, y1, arc.half_width});
  }
}

std::vector<Stroke> WriteAi() {
  std::vector<Stroke> letters = {
      {48.3, 34, 48.3, 51.3, 3.4},  // a's stem
      {61, 30.5, 61, 48.5, 3.5},    // i
      {61, 48, 61, 48.4, 3.5},
      {61, 19.3, 61, 19.4, 4.5},  // dot of the i
  };
  Add({40, 35.5, 8.3, 6.3, 205, 360, 3.2}, &letters);
  Add({39.3, 44, 7.6, 5, 0, 360, 3.2}, &letters);
  return letters;
}

std::vector<Stroke> WriteGrok() {
  std::vector<Stroke> sign = {
      // The slash through the ring: its tail, blade and spike.
      {4.3, 16, 1.2, 20, 0.9},       {9, 13.3, 18.2, 6.6, 0.6},   {17.7, 7.3, 20.6, 1.5, 0.9},
      {32.5, 11.3, 37.4, 11.3, 0.8},                                                         // G's bar
      {40.6, 8.5, 40.6, 17, 0.9},                                                            // r
      {40.6, 10.5, 41.9, 9, 0.85},   {41.9, 9, 44.3, 8.8, 0.85},  {56.3, 5, 56.3, 17, 0.9},  // k
      {57, 13, 62.5, 8.6, 0.9},      {58.5, 12.3, 63, 16.8, 0.9},
  };
  Add({10.8, 11, 8.4, 8.4, 142, 300, 1.25}, &sign);
  Add({10.8, 11, 8.4, 8.4, -25, 120, 1.25}, &sign);
  Add({32.3, 10.9, 5.2, 5.4, 4, 320, 0.95}, &sign);  // G
  Add({49.3, 12.5, 3.7, 3.8, 0, 360, 0.95}, &sign);  // o
  return sign;
}

}  // namespace

Drawing DrawSparkle() {
  constexpr double kRadius = 24;
  // Exponent of the star's outline, fitted to the measured widths of the arms at five distances.
  constexpr double kExponent = 0.7;
  return {2 * kRadius, 2 * kRadius, [](double x, double y) {
            return std::pow(std::abs(x / kRadius - 1), kExponent) +
                       std::pow(std::abs(y / kRadius - 1), kExponent) <=
                   1;
          }};
}

Drawing DrawAiPill() {
  constexpr double kWidth = 96, kHeight = 70, kRadius = kHeight / 2;
  const Stroke pill{kRadius, kRadius, kWidth - kRadius, kRadius, kRadius};
  return {kWidth, kHeight, [pill, letters = WriteAi()](double x, double y) {
            return Covers(pill, x, y) && !Covers(letters, x, y);
          }};
}

Drawing DrawGrok() {
  return {64, 21, [sign = WriteGrok()](double x, double y) { return Covers(sign, x, y); }};
}

}  // namespace telltale
